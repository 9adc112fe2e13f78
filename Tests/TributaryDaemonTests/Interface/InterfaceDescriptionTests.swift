import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

@testable import TributaryDaemon

/// The OpenAPI document has every route, and its parts fit together.
@Suite struct InterfaceDescriptionTests {
    private static func description() throws -> InterfaceDescription {
        try InterfaceDescription(InterfaceDocument.text.get())
    }

    @Test func theOperationsAreTheRoutes() throws {
        let description = try Self.description()
        let operations = description.operations
        let keys = RouteTable.routes.map { "\($0.method) \($0.path.rawValue)" }
        #expect(operations.map(\.description).sorted() == keys.sorted())
        for (route, key) in zip(RouteTable.routes, keys) {
            let operation = try #require(operations.first { $0.description == key })
            #expect(operation.query == route.query, "\(operation)")
            let body = operation.request.map { description.members(description.resolved($0)["properties"]) } ?? []
            #expect(Set(body.map(\.key)) == route.body, "\(operation)")
            let parts = route.path.rawValue.matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(operation.pathParameters == Set(parts), "\(operation)")
            #expect(operation.responses.keys.count { $0.hasPrefix("2") } == 1, "\(operation)")
        }
    }

    /// A path that takes another method, and a failure, are no answers of an operation.
    @Test func everyProblemIsTheAnswerOfAnOperation() throws {
        let described = Set(try Self.description().operations.flatMap(\.responses.keys).compactMap { Int($0) })
        #expect(Set(ProblemKind.allCases.map(\.status)).subtracting([405, 500]).isSubset(of: described))
    }

    /// No reference leads nowhere, and no schema is of no use.
    @Test func theReferencesAreTheComponents() throws {
        let description = try Self.description()
        let references = description.root.text.matches(of: /"#\/components\/(\w+\/\w+)"/).map { String($0.1) }
        let components = description.members(description.root["components"]).flatMap { kind in
            description.members(kind.value).map { "\(kind.key)/\($0.key)" }
        }
        #expect(Set(references) == Set(components))
    }

    private struct Box: Codable {
        enum Colour: String, Codable, CaseIterable { case red, green }

        struct Lid: Codable {
            var isOpen: Bool
        }

        var owner: UniqueID
        var width: Double
        var since: WallTime?
        var colour: Colour
        var lids: [Lid]?
        var counts: [String: UInt64]
    }

    @Test func aSchemaHasWhatTheMessageReads() throws {
        let recorder = try SchemaRecorder(Box.self, names: [ObjectIdentifier(Box.Lid.self): "Lid"])
        let schemas = JSONValue.object(recorder.properties)
        #expect(
            schemas.text == """
                {"owner":{"type":"string","format":"uuid"},"width":{"type":"number"},"since":{"type":"number"},\
                "colour":{"type":"string","enum":["red","green"]},\
                "lids":{"type":"array","items":{"$ref":"#/components/schemas/Lid"}},\
                "counts":{"type":"object","additionalProperties":{"type":"integer"}}}
                """
        )
        #expect(recorder.required == ["owner", "width", "colour", "counts"].map(JSONValue.string))
    }

    @Test func aMessageWithoutANameIsRefused() {
        let error = #expect(throws: ProblemDocument.self) { try SchemaRecorder(Box.self, names: [:]) }
        #expect(error?.detail?.contains("Lid, which has no name in InterfaceDocument") == true, "\(error as Any)")
    }

    @Test(arguments: [
        (#"{"descriptions":{"Status.colour":"Red."}}"#, "'Status.colour', which is neither"),
        (#"{"paths":{"/v1/status":{"put":{}}}}"#, "'put /v1/status', which is not a route"),
    ])
    func anEntryForNothingIsRefused(text: String, fault: String) {
        let error = #expect(throws: ProblemDocument.self) { try InterfaceDocument.make(from: Array(text.utf8)) }
        #expect(error?.detail?.contains(fault) == true, "\(error as Any)")
    }
}
