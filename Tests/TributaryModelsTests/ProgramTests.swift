import Foundation
import TestSupport
import Testing

/// The program that the plugin runs: what it says of a bad model, and when it writes.
@Suite("The program of the plugin")
struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("models") }

    private func generate(_ model: String, settings: String? = nil) async throws -> (
        ending: ChildProcess.Ending, errors: String
    ) {
        let errors = folder.path("errors.txt")
        try? FileManager.default.removeItem(atPath: errors)
        var arguments = [folder.path(model), folder.path("Made.swift")]
        if let settings {
            try folder.write(settings, to: "tributary-models.json")
            arguments.append(folder.path("tributary-models.json"))
        }
        let program = try ChildProcess(BuildFolder.executable("tributary-models"), arguments, errors: errors)
        return (await program.ending(), try String(contentsOfFile: errors, encoding: .utf8))
    }

    private func made() throws -> String { try String(contentsOfFile: folder.path("Made.swift"), encoding: .utf8) }

    private func writtenAt() throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: folder.path("Made.swift"))[.modificationDate] as? Date
    }

    @Test func aBadModelIsToldAsTheCompilerTellsItsErrors() async throws {
        try folder.write("entities:\n  Hat:\n    attributes:\n      size: Integr 16\n", to: "hats.yaml")
        let result = try await generate("hats.yaml")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(/hats\.yaml:4:(\d+:)? error: .*Integr 16/), "\(result.errors)")
        #expect(throws: (any Error).self) { try made() }
    }

    @Test func aBadModelOfXcodeIsToldWithTheFileInside() async throws {
        let contents = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel">
                <entity name="Hat"><attribute name="size" attributeType="Integr 16"/></entity>
            </model>

            """
        try FileManager.default.createDirectory(
            atPath: folder.path("Hats.xcdatamodel"),
            withIntermediateDirectories: true
        )
        try folder.write(contents, to: "Hats.xcdatamodel/contents")
        let result = try await generate("Hats.xcdatamodel")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(/Hats\.xcdatamodel\/contents:3: error: .*Integr 16/), "\(result.errors)")
    }

    /// The compiler compiles again what is newer than what it has made.
    @Test func nothingIsWrittenWhenNothingHasChanged() async throws {
        try folder.write("entities: {Hat: {attributes: {size: Integer 16}}}\n", to: "hats.yaml")
        #expect(try await generate("hats.yaml").ending == .exited(0))
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: folder.path("Made.swift"))
        #expect(try await generate("hats.yaml").ending == .exited(0))
        #expect(try writtenAt() == past)

        try folder.write("entities: {Hat: {attributes: {size: Integer 32}}}\n", to: "hats.yaml")
        #expect(try await generate("hats.yaml").ending == .exited(0))
        #expect(try writtenAt() != past)
        #expect(try made().contains("Field<Int32>(\"size\")"))
    }

    @Test func settingsMakeTheClassesPublic() async throws {
        try folder.write("entities: {Hat: {attributes: {size: Integer 16}}}\n", to: "hats.yaml")
        #expect(try await generate("hats.yaml").ending == .exited(0))
        #expect(!(try made().contains("public ")))
        #expect(try await generate("hats.yaml", settings: #"{"access": "public"}"#).ending == .exited(0))
        let text = try made()
        #expect(text.contains("public final class Hat"))
        #expect(text.contains("public enum HatsModel") && text.contains("public static func model() throws -> Model"))
    }

    @Test(
        arguments: [
            (#"{"acess": "public"}"#, "the setting 'acess' is not known"), (#"{"access": "open"}"#, "'access' is "),
            (#"{"ownClasses": "Hat"}"#, "'ownClasses' is a list of entities"),
            (#"{"transformableClasses": "yes"}"#, "'transformableClasses' is true or false"),
            ("[]", "not a JSON object"),
        ]
    )
    func aWrongSettingIsToldWithItsFile(_ text: String, _ reason: String) async throws {
        try folder.write("entities: {Hat: {}}\n", to: "hats.yaml")
        let result = try await generate("hats.yaml", settings: text)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("tributary-models.json:1: error: ") && result.errors.contains(reason))
    }

    /// All that a Swift name or a text in a program could trip over.
    @Test func theCompilerTakesAModelWithAnyText() async throws {
        try folder.write(
            """
            # "quotes" \\(not interpolated) \"\"\" and a tab:\t.
            entities:
              Model: {attributes: {class: String, default: "String?", self: {type: String, default: "\\\\ \\u00e9"}}}
              String: {attributes: {in: Date}}

            """,
            to: "odd-names 2.yaml"
        )
        #expect(try await generate("odd-names 2.yaml").ending == .exited(0))
        let files = try TemporaryFolder("models")
        try files.write(try made(), to: "Made.swift")
        let complaints = try await SwiftCompiler().complaints(aboutFilesIn: files)
        #expect(complaints == "")
    }
}
