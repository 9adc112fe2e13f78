import TestSupport
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Teams with members, skills and marks, and derived attributes of every kind, through every kind of relationship.
enum DerivedModel {
    static func attribute(_ name: String, _ type: AttributeType, _ expression: String? = nil) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = true
        attribute.derivationExpression = expression
        return attribute
    }

    private static func relationship(
        _ name: String,
        _ destination: String,
        _ inverse: String?,
        toMany: Bool = true,
        rule: DeleteRule = .nullify
    ) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isToMany = toMany
        relationship.isOptional = true
        relationship.deleteRule = rule
        return relationship
    }

    static func model() throws -> Model {
        var team = EntityDefinition(name: "Team")
        team.attributes = [
            attribute("name", .string), attribute("changed", .date, "now()"),
            attribute("size", .integer32, "members.@count"), attribute("total", .double, "members.@sum.pay"),
            attribute("least", .double, "min:(members.pay)"), attribute("most", .double, "members.pay.@max"),
            attribute("skillCount", .integer16, "skills.@count"), attribute("points", .decimal, "sum:(skills.points)"),
            attribute("markCount", .integer64, "marks.@count"), attribute("weight", .integer64, "marks.@sum.weight"),
        ]
        team.relationships = [
            relationship("members", "Member", "team"), relationship("skills", "Skill", "teams"),
            relationship("marks", "Mark", nil),
        ]
        var member = EntityDefinition(name: "Member")
        member.attributes = [
            attribute("name", .string), attribute("pay", .double), attribute("key", .string, "canonical:(name)"),
            attribute("changed", .date, "now()"), attribute("teamName", .string, "uppercase:(team.name)"),
        ]
        member.relationships = [relationship("team", "Team", "members", toMany: false)]
        var skill = EntityDefinition(name: "Skill")
        skill.attributes = [attribute("points", .integer32), attribute("users", .integer32, "teams.@count")]
        skill.relationships = [relationship("teams", "Team", "skills")]
        var mark = EntityDefinition(name: "Mark")
        mark.attributes = [attribute("weight", .integer16)]
        return try Model(version: "1", entities: [team, member, skill, mark])
    }

    /// A store with a clock that stands still and IDs from a seed.
    static func open(_ folder: TemporaryFolder, seed: UInt64 = 0) async throws -> PersistentContainer {
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "derived",
            model: try model(),
            environment: .seeded(seed)
        )
        return try await PersistentContainer(store: Store.open(configuration), clock: ManualClock())
    }
}
