import Foundation
import TestSupport
import Testing
import TributaryGeneration
import TributaryModel

@Suite("Generated files")
struct GeneratedFilesTests {
    private static let folder = PackageFolder.path("Tests/TributaryGenerationTests/Generated")
    /// When set, the test writes the checked-in files instead of comparing them.
    private static let isWriting = ProcessInfo.processInfo.environment["TRIBUTARY_WRITE_GENERATED"] != nil

    @Test func theCheckedInFilesAreWhatTheGeneratorWrites() throws {
        let files = try ArchiveText.generator().files()
        for file in files where GeneratedFilesTests.isWriting {
            try Data(file.text.utf8).write(to: URL(fileURLWithPath: "\(GeneratedFilesTests.folder)/\(file.name)"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: GeneratedFilesTests.folder).sorted()
        #expect(names == files.map(\.name))
        for file in files {
            let text = try String(contentsOfFile: "\(GeneratedFilesTests.folder)/\(file.name)", encoding: .utf8)
            #expect(text == file.text, "\(file.name)")
        }
    }

    @Test func theSameModelGivesTheSameBytes() throws {
        #expect(try ArchiveText.generator().files() == ArchiveText.generator().files())
    }

    @Test(arguments: AccessLevel.allCases)
    func theCompilerTakesThem(_ access: AccessLevel) async throws {
        let complaints = try await complaints(about: try Model(yaml: ArchiveText.yaml), access: access)
        #expect(complaints == "")
    }

    @Test func theCompilerTakesNamesThatSwiftHasAlready() async throws {
        let model = try Model(
            yaml: """
                entities:
                  Data: {attributes: {self: String, Type: Binary?, init: Date}}
                  Date: {attributes: {objectID: String?, keys: String?, Snapshot: String?, state: String?, hash: URI?}}
                  Snapshot: {attributes: {partID: String?}, relationships: {part: {to: Field?, inverse: whole}}}
                  Field: {class: NSManagedObject, relationships: {whole: {to: Snapshot?, inverse: part}}}
                  ManagedObject: {class: Shop.Thing}
                  String: {class: Thing, attributes: {switch: Boolean}}
                composites: {Set: {default: String?, in: Decimal}}
                """
        )
        #expect(try await complaints(about: model, access: .public) == "")
    }

    @Test func aTransformerOfTheModelIsFoundByItsName() throws {
        let model = try Model(
            yaml: """
                entities:
                  Drawing:
                    attributes:
                      shape: {type: Transformable, optional: true, class: Shape, transformer: ShapeTransformer}
                      tint: {type: Transformable, class: Shape, transformer: ShapeTransformer}
                      old: {type: Transformable, optional: true, class: Shape, transformer: NSSecureUnarchiveFromData}
                """
        )
        let options = GeneratorOptions(listName: "Model", usesTransformableClasses: true, command: "x")
        let files = ModelGenerator(model, options: options).files()
        let text = try #require(files.first { $0.name == "Drawing.swift" }).text
        #expect(text.contains("static let shape = TransformableField<Shape>(registered: \"shape\")"))
        #expect(text.contains("var tint: Shape? {"))
        #expect(text.contains("static let old = Field<Shape?>(\"old\")"))
        #expect(text.contains("shape = object[Drawing.shape, as: Data?.self]"))
    }

    /// Names of variables and types in the generated code, and words with a meaning in some contexts.
    @Test func theCompilerTakesNamesThatTheGeneratedCodeUses() async throws {
        let words = [
            "object", "fields", "path", "write", "newValue", "oldValue", "get", "set", "lazy", "async", "await", "some",
            "any", "each", "repeat", "inout", "consume", "copy", "borrowing", "actor", "macro", "override", "required",
            "weak", "unowned", "throws", "encode", "encoder", "decoder", "hasher", "allCases", "rawValue",
            "stringValue",
            "intValue", "entity", "error", "dynamicType", "propertyName", "classes", "version", "CodingKeys",
        ]
        let capitals = [
            "Field", "ToOne", "ToMany", "Set", "Book", "Page", "Date", "Data", "String", "Int16", "ManagedObject",
            "Cover",
            "Object", "Tray", "Optional",
        ]
        let types = ["String", "Date?", "Binary", "Integer 16?", "Decimal"]
        func attributes(_ names: [String]) -> String {
            names.enumerated().map { "\"\($1)\": \(types[$0 % types.count])" }.joined(separator: ", ")
        }
        let model = try Model(
            yaml: """
                entities:
                  Book: {attributes: {\(attributes(words)), cover: {composite: Cover}}, relationships: {parts: {to: any, many: true}}}
                  Tray: {attributes: {\(attributes(capitals))}, relationships: {books: {to: Book, many: true}}}
                  Page: {parent: Book, attributes: {number: Integer 16}, relationships: {next: {to: "some?"}}}
                  any: {relationships: {each: {to: "some?"}, other: {to: "Optional?"}}}
                  some: {attributes: {x: String?}}
                  each: {}
                  Optional: {}
                  Array: {}
                  Never: {}
                  Error: {}
                composites:
                  Cover: {\(attributes(words)), hashValue: String, hash: String, self: String, init: String, Type: String}
                """
        )
        for access in AccessLevel.allCases {
            let complaints = try await complaints(about: model, access: access)
            #expect(complaints == "")
        }
    }

    private static let models = PackageFolder.path("../shared/models")

    @Test(.enabled(if: FileManager.default.fileExists(atPath: models), "needs ../shared/models"))
    func theCompilerTakesThoseOfPublishedModels() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: GeneratedFilesTests.models)
            .filter { $0.hasSuffix(".xml") }
        #expect(!names.isEmpty)
        for name in names.sorted() {
            let xml = try String(contentsOfFile: "\(GeneratedFilesTests.models)/\(name)", encoding: .utf8)
            let complaints = try await complaints(about: try Model(xml: xml, file: name), access: .internal)
            #expect(complaints == "", "\(name)")
        }
    }

    private func complaints(about model: Model, access: AccessLevel) async throws -> String {
        let folder = try TemporaryFolder("generated")
        let options = GeneratorOptions(listName: "ListModel", access: access, command: "a test")
        for file in ModelGenerator(model, options: options).files() { try folder.write(file.text, to: file.name) }
        return try await SwiftCompiler().complaints(aboutFilesIn: folder)
    }

    /// The list must have every public member of `ManagedObject`.
    @Test func theListOfInheritedMembersIsComplete() throws {
        let folder = PackageFolder.path("Sources/Tributary")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        let owner = /^(?:public |package |open )*(?:extension|class) ManagedObject\b.*\{\n((?:[ #\n].*\n?)*)/
            .anchorsMatchLineEndings()
        var found = 0
        let pattern = /^    (?:@\w+ )*(?:public|open)[a-z() ]* (?:var|func|let) (\w+)/.anchorsMatchLineEndings()
        for file in files {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for match in text.matches(of: owner).flatMap({ $0.output.1.matches(of: pattern) }) {
                found += 1
                #expect(InheritedMembers.names.contains(String(match.output.1)), "\(file): \(match.output.1)")
            }
        }
        #expect(found > 50)
    }
}
