import TestSupport
import Testing
import TributaryModel

/// Models from texts of untrusted sources.
struct ModelTextTests {
    @Test func modelsAreReadFromText() throws {
        let yaml = try Model(yaml: "version: \"2\"\nentities: {Employee: {attributes: {name: String}}}")
        #expect(yaml.version == "2" && yaml.entity(named: "Employee")?.property(named: "name") != nil)
        let text =
            "<model><entity name=\"Employee\"><attribute name=\"name\" attributeType=\"String\"/></entity></model>"
        let xml = try Model(xml: text, version: "2")
        #expect(xml.version == "2" && xml.entity(named: "Employee")?.property(named: "name") != nil)
        #expect(try Model(xml: text).version == "1")
    }

    /// The test compiles a program, because these tests are in the package and can call more than a program can.
    @Test func aProgramReadsModelsFromItsText() async throws {
        let folder = try TemporaryFolder("model-text")
        try folder.write(
            """
            import TributaryModel

            func models(_ text: String) throws -> [Model] {
                [try Model(yaml: text), try Model(xml: text), try Model(xml: text, version: "2")]
            }
            """,
            to: "Program.swift"
        )
        #expect(try await SwiftCompiler().complaints(aboutFilesIn: folder) == "")
    }

    @Test(arguments: [
        ("entities:\n  E:\n    attributes: {a: Sting}", 3), ("entities:\n  E: [\n", 3), ("entities:\n  E: *x\n", 2),
    ])
    func errorsInYAMLHaveTheLine(text: String, line: Int) {
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: text) }
        #expect(error?.line == line && error?.file == nil, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test(arguments: [
        ("<model>\n<entity name=\"E\">\n<attribute name=\"a\" attributeType=\"Sting\"/>\n</entity></model>", 3),
        ("<model>\n<entity name=\"E\">\n</model>", 3),
    ])
    func errorsInXMLHaveTheLine(text: String, line: Int) {
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(xml: text) }
        #expect(error?.line == line && error?.file == nil, "\(error.map(String.init(describing:)) ?? "")")
    }

    /// A text of 300 bytes whose aliases expand to ten to the ninth values.
    private static var laughs: String {
        let levels = (1...9).map { level in
            "x\(level): &x\(level) [\(Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ", "))]"
        }
        return "x0: &x0 [lol]\n" + levels.joined(separator: "\n") + "\n"
    }

    /// Entities that are aliases of entities, which the reader would expand.
    private static var copies: String {
        let attributes = (0..<1000).map { "a\($0): String" }.joined(separator: ", ")
        let entities = (1..<2000).map { "  E\($0): *e\n" }.joined()
        return "entities:\n  E0: &e {attributes: {\(attributes)}}\n" + entities
    }

    @Test func aliasesDoNotFillTheMemory() {
        for text in [Self.laughs, Self.copies] {
            let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: text) }
            #expect(error?.reason.contains("aliases") == true, "\(error?.reason ?? "")")
        }
    }

    @Test(arguments: [("[", "]"), ("{a: ", "}"), ("{? ", ": 1}")])
    func collectionsOfAnyKindMayNest32Deep(_ open: String, _ close: String) {
        let text = "entities: " + String(repeating: open, count: 40) + "1" + String(repeating: close, count: 40)
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: text) }
        #expect(error?.reason.contains("32 deep") == true, "\(error?.reason ?? "")")
    }

    @Test func deepAndLongTextsAreRefused() {
        let texts = [
            "entities: " + String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
            "entities: " + String(repeating: "[", count: 100_000),
            "# " + String(repeating: "x", count: 17 * 1024 * 1024),
        ]
        for text in texts {
            #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: text) }
        }
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(xml: "<model>" + deep) }
        let long = "<model>" + String(repeating: " ", count: 17 * 1024 * 1024) + "</model>"
        #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(xml: long) }
    }
}
