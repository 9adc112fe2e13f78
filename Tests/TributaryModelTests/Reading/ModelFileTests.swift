import Foundation
import TestSupport
import Testing
import TributaryModel

@Suite("Models in files and folders")
struct ModelFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("models")
    }

    private func write(version name: String, entity: String) throws {
        try folder.write(
            "<model><entity name=\"\(entity)\"/></model>",
            to: "My App.xcdatamodeld/\(name).xcdatamodel/contents"
        )
    }

    private func point(to name: String) throws {
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>
            """,
            to: "My App.xcdatamodeld/.xccurrentversion"
        )
    }

    private func refusal(_ path: String) -> ModelError? {
        #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(contentsOf: path) }
    }

    @Test func theCurrentVersionAndAllVersions() throws {
        try write(version: "My App", entity: "One")
        #expect(try Model(contentsOf: folder.path("My App.xcdatamodeld")).version == "My App")
        // A pointer that names nothing is as none.
        let empty = "<plist version=\"1.0\"><dict/></plist>"
        for text in ["", empty] {
            try folder.write(text, to: "My App.xcdatamodeld/.xccurrentversion")
            #expect(try Model(contentsOf: folder.path("My App.xcdatamodeld")).version == "My App")
        }
        try write(version: "My App 2", entity: "Two")
        try write(version: "My App 10", entity: "Ten")
        let undecided = refusal(folder.path("My App.xcdatamodeld"))
        #expect(undecided?.reason.contains("3 versions") == true)
        try point(to: "My App 2.xcdatamodel")
        let current = try Model(contentsOf: folder.path("My App.xcdatamodeld/"))
        #expect(current.version == "My App 2" && current.entities.map(\.name) == ["Two"])
        let versions = try Model.versions(contentsOf: folder.path("My App.xcdatamodeld"))
        #expect(versions.map(\.version) == ["My App", "My App 2", "My App 10"])
        try point(to: "My App 3.xcdatamodel")
        #expect(refusal(folder.path("My App.xcdatamodeld"))?.file?.hasSuffix(".xccurrentversion") == true)
        try folder.write("nonsense", to: "My App.xcdatamodeld/.xccurrentversion")
        #expect(refusal(folder.path("My App.xcdatamodeld"))?.reason.contains("_XCCurrentVersionName") == true)
        let single = try Model(contentsOf: folder.path("My App.xcdatamodeld/My App 10.xcdatamodel"))
        #expect(single.version == "My App 10")
    }

    @Test func binaryModelsAreRefusedByName() throws {
        try folder.write("bplist00", to: "Old.xcdatamodel/elements")
        try folder.write("bplist00", to: "Old.xcdatamodel/layout")
        #expect(refusal(folder.path("Old.xcdatamodel"))?.reason.contains("before 2011") == true)
        try folder.write("bplist00", to: "Odd.xcdatamodel/contents")
        #expect(refusal(folder.path("Odd.xcdatamodel"))?.reason.contains("before 2011") == true)
        try folder.write("x", to: "Compiled.momd/x.mom")
        #expect(refusal(folder.path("Compiled.momd"))?.reason.contains("compiled") == true)
    }

    @Test func filesThatAreNoModelAreNamed() throws {
        #expect(refusal(folder.path("none.xcdatamodeld"))?.reason.contains("no such file") == true)
        try folder.write("", to: "Empty.xcdatamodeld/readme")
        #expect(refusal(folder.path("Empty.xcdatamodeld"))?.reason.contains("no .xcdatamodel") == true)
        try folder.write("", to: "Hollow.xcdatamodel/readme")
        #expect(refusal(folder.path("Hollow.xcdatamodel"))?.reason.contains("'contents'") == true)
        try folder.write("", to: "notes.txt")
        #expect(refusal(folder.path("notes.txt"))?.file == folder.path("notes.txt"))
    }

    @Test func yamlFiles() throws {
        try folder.write("version: 7\nentities: {Note: {attributes: {text: String}}}", to: "notes.yaml")
        let model = try Model(contentsOf: folder.path("notes.yaml"))
        #expect(model.version == "7" && model.entities.map(\.name) == ["Note"])
        #expect(try Model.versions(contentsOf: folder.path("notes.yaml")).count == 1)
        try Data([0x61, 0xFF]).write(to: URL(fileURLWithPath: folder.path("bad.yml")))
        #expect(refusal(folder.path("bad.yml"))?.reason.contains("UTF-8") == true)
    }
}
