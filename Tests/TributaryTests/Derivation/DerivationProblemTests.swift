import Foundation
import TestSupport
import Testing

@testable import Tributary

/// A derived attribute that cannot be computed is found when a store is opened, not when the model is loaded.
struct DerivationProblemTests {
    /// A model with one derived attribute in it, beside a sound one.
    private func model(_ expression: String, _ type: AttributeType) throws -> Model {
        func attribute(_ name: String, _ type: AttributeType, _ expression: String? = nil) -> Attribute {
            var attribute = Attribute(name: name, type: type)
            (attribute.isOptional, attribute.derivationExpression) = (true, expression)
            return attribute
        }
        var team = EntityDefinition(name: "Team")
        team.attributes = [
            attribute("name", .string), attribute("size", .integer32), attribute("plain", .string, "canonical:(name)"),
            attribute("wrong", type, expression),
        ]
        var members = Relationship(name: "members", destination: "Team", inverse: "leader")
        members.isToMany = true
        members.isOptional = true
        var leader = Relationship(name: "leader", destination: "Team", inverse: "members")
        leader.isOptional = true
        team.relationships = [members, leader]
        return try Model(version: "1", entities: [team])
    }

    static let cases: [(String, AttributeType, String)] = [
        ("median:(members.size)", .double, "not understood"), ("", .string, "not understood"),
        ("a.b.c.d", .string, "not understood"), ("nowhere", .string, "Team has no attribute 'nowhere'"),
        ("leader.nothing", .string, "Team has no attribute 'nothing'"),
        ("chief.name", .string, "Team has no relationship 'chief'"),
        ("members.name", .string, "Team.members is to-many"),
        ("leader.@count", .integer32, "Team.leader is to-one"),
        ("members.@sum.name", .double, "Team.name is not a number"),
        ("members.@count", .string, "it is a number, not String"), ("now()", .string, "it is a date, not String"),
        ("lowercase:(size)", .string, "Team.size is not a string"), ("size", .string, "it is Integer 32, not String"),
    ]

    @Test(arguments: cases)
    func theContainerIsRefusedWithEntityAttributeExpressionAndReason(
        _ expression: String,
        _ type: AttributeType,
        _ reason: String
    ) async throws {
        let model = try model(expression, type)
        let error = await #expect(throws: ContextError.self) {
            _ = try await PersistentContainer(name: "x", model: model, store: .memory)
        }
        guard case .derivations(let problems)? = error else { throw Unexpected(error) }
        #expect(problems.map(\.attribute) == ["wrong"] && problems.map(\.entity) == ["Team"])
        #expect(problems.first?.expression == expression)
        #expect(problems.first?.reason.contains(reason) == true)
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("Team.wrong") && text.contains("@count") && text.contains("'\(expression)'"))
    }

    @Test(arguments: [
        ("members.@count", AttributeType.decimal), ("members.@max.size", .integer64), ("leader.size", .integer16),
        ("uppercase:(leader.name)", .string), ("now()", .date), ("now()", .double), ("sum:( members.size )", .double),
    ])
    func validDerivationsOpen(_ expression: String, _ type: AttributeType) async throws {
        try await PersistentContainer(name: "x", model: model(expression, type), store: .memory).close()
    }

    @Test func aNumberCountsTheSecondsFrom2001On() async throws {
        let container = try await PersistentContainer(name: "x", model: model("now()", .double), store: .memory)
        let before = Date.now.timeIntervalSinceReferenceDate
        let value = try await container.performBackgroundTask { context in
            let team = try context.insert("Team", ["name": .string("A"), "size": .integer(1)])
            try context.save()
            return try team.value(forKey: "wrong")
        }
        guard case .double(let seconds) = value else { throw Unexpected(value) }
        #expect((before - 1...before + 600).contains(seconds))
        try await container.close()
    }

    @Test(.enabled(if: PublishedModels.folder != nil, "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS"))
    func publishedModelsOpen() async throws {
        let folder = try #require(PublishedModels.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".xml") }
        #expect(!names.isEmpty)
        for name in names {
            let xml = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            let model = try Model(xml: xml, file: name)
            let container = try await PersistentContainer(name: "x", model: model, store: .memory)
            try await container.close()
        }
    }
}
