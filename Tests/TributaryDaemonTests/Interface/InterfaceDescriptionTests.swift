import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

@testable import TributaryDaemon

/// The OpenAPI document says what the table of routes and the messages say, and nothing else.
@Suite struct InterfaceDescriptionTests {
    private static func key(_ route: Route) -> String { "\(route.method) \(route.path.rawValue)" }

    @Test func theOperationsAreTheRoutes() throws {
        let description = try InterfaceDescription()
        let operations = description.operations
        #expect(operations.map(\.description).sorted() == RouteTable.routes.map(Self.key).sorted())
        for route in RouteTable.routes {
            let operation = try #require(operations.first { $0.description == Self.key(route) })
            #expect(operation.query == route.query, "\(operation)")
            let body = operation.request.map { description.members(description.resolved($0)["properties"]) } ?? []
            #expect(Set(body.map(\.key)) == route.body, "\(operation)")
            #expect(operation.access == "\(route.access)", "\(operation)")
            let parts = route.path.rawValue.matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(operation.pathParameters == Set(parts), "\(operation)")
            var needsOpenStore = false
            if case .openStore = route.requirement { needsOpenStore = true }
            #expect(operation.needsOpenStore == needsOpenStore, "\(operation)")
        }
    }

    /// The statuses follow from who may use a route, what it needs and what it takes.
    @Test func theStatusesFollowFromTheRoutes() throws {
        let problems = Set(ProblemKind.allCases.map { "\($0.status)" })
        var described: Set<String> = []
        for operation in try InterfaceDescription().operations {
            let statuses = Set(operation.responses.keys)
            described.formUnion(statuses)
            #expect(statuses.isSuperset(of: ["400", "default"]), "\(operation)")
            #expect(statuses.contains("403") == (operation.access != "read"), "\(operation)")
            #expect(statuses.contains("413") == (operation.request != nil), "\(operation)")
            let isHealth = operation.path == AdminPath.health.rawValue
            #expect(statuses.contains("503") == (operation.needsOpenStore || isHealth), "\(operation)")
            let successes = statuses.filter { $0.hasPrefix("2") }
            #expect(successes.count == 1, "\(operation)")
            #expect(statuses.subtracting(successes).subtracting(["default"]).isSubset(of: problems), "\(operation)")
        }
        // A path that takes another method, and a failure, are no answers of an operation.
        #expect(problems.subtracting(["405", "500"]).isSubset(of: described))
    }

    @Test func theProblemsAreThoseOfThePublishedList() throws {
        let description = try InterfaceDescription()
        let types = description.elements(description.schema("Problem")?["properties"]?["type"]?["enum"])
        #expect(types.compactMap(\.string).sorted() == ProblemKind.allCases.map(\.type).sorted())
    }

    /// Each message has the fields of its schema, of the same types, and those that may be absent are not required.
    @Test func theSchemasAreTheMessages() throws {
        let description = try InterfaceDescription()
        let messages = InterfaceMessages.all
        #expect(messages.count >= 20)
        for (name, message) in messages {
            let schema = try #require(description.schema(name), "\(name)")
            let properties = description.members(schema["properties"])
            var fields: [String: String] = [:]
            var required: Set<String> = []
            for field in Mirror(reflecting: message).children {
                guard let label = field.label else { continue }
                let type = InterfaceMessages.text(of: type(of: field.value))
                fields[label] = type.text
                if !type.isOptional { required.insert(label) }
            }
            #expect(Set(properties.map(\.key)) == Set(fields.keys), "\(name)")
            #expect(Set(description.elements(schema["required"]).compactMap(\.string)) == required, "\(name)")
            for property in properties {
                #expect(InterfaceMessages.text(of: property.value) == fields[property.key], "\(name).\(property.key)")
            }
        }
    }

    /// No message is without a schema.
    @Test func everyMessageIsCompared() throws {
        let folder = PackageFolder.path("Sources/TributaryAdmin/Messages")
        var declared: [String] = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            declared += Self.messages(in: try Article.text(of: "Sources/TributaryAdmin/Messages/\(file)"))
        }
        let compared = InterfaceMessages.all.map { String(reflecting: type(of: $0.1)) }
        #expect(compared.sorted() == declared.map { "TributaryAdmin.\($0)" }.sorted())
    }

    /// Two messages may contain types of one name.
    @Test func aNestedMessageIsNamedWithItsOwner() {
        let text = """
            package struct A: Codable {
                package enum State: String, Codable { case b }
                package struct Item: Codable, Hashable {
                    package struct Part: Codable {}
                }
                struct Helper {}
            }
            extension B.C {
                struct Item: Codable {}
            }
            """
        #expect(Self.messages(in: text) == ["A", "A.Item", "A.Item.Part", "B.C.Item"])
    }

    /// The names of the structs that are declared as `Codable`, nested ones with the names of their owners.
    private static func messages(in text: String) -> [String] {
        var owners: [String] = []
        var names: [String] = []
        for line in text.split(separator: "\n") {
            let pattern = /( *)(?:package )?(struct|enum|extension) ([\w.]+)(: Codable)?.*/
            guard let match = line.wholeMatch(of: pattern) else { continue }
            owners = owners.prefix(match.1.count / 4) + [String(match.3)]
            if match.2 == "struct", match.4 != nil { names.append(owners.joined(separator: ".")) }
        }
        return names
    }

    /// No schema is of no use.
    @Test func everySchemaIsReferredTo() throws {
        let description = try InterfaceDescription()
        let text = description.root.text
        #expect(!description.schemaNames.isEmpty)
        for name in description.schemaNames {
            #expect(text.contains("\"#/components/schemas/\(name)\""), "\(name)")
        }
    }
}
