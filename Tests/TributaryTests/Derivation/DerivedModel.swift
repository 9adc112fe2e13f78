import TestSupport
import TributaryStore

@testable import Tributary

/// Teams with members, skills and marks, and derived attributes of every kind, through every kind of relationship.
///
/// Members have points besides their pay, whose sum reaches the bounds of each integer type.
enum DerivedModel {
    static func model() throws -> Model {
        try Model(
            entities: """
                Team:
                  attributes:
                    name: String?
                    \(derived("changed", "Date", "now()"))
                    \(derived("size", "Integer 32", "members.@count"))
                    \(derived("total", "Double", "members.@sum.pay"))
                    \(derived("least", "Double", "min:(members.pay)"))
                    \(derived("most", "Double", "members.pay.@max"))
                    \(derived("shortSum", "Integer 16", "members.@sum.points"))
                    \(derived("longSum", "Integer 64", "members.@sum.points"))
                    \(derived("exactSum", "Decimal", "members.@sum.points"))
                    \(derived("leastPoints", "Integer 64", "members.@min.points"))
                    \(derived("skillCount", "Integer 16", "skills.@count"))
                    \(derived("points", "Decimal", "sum:(skills.points)"))
                    \(derived("markCount", "Integer 64", "marks.@count"))
                    \(derived("weight", "Integer 64", "marks.@sum.weight"))
                  relationships:
                    members: {to: Member, many: true, inverse: team}
                    skills: {to: Skill, many: true, inverse: teams}
                    marks: {to: Mark, many: true}
                Member:
                  attributes:
                    name: String?
                    pay: Double?
                    points: Integer 64?
                    \(derived("changed", "Date", "now()"))
                    \(derived("key", "String", "canonical:(name)"))
                    \(derived("loud", "String", "uppercase:(name)"))
                    \(derived("quiet", "String", "lowercase:(name)"))
                    \(derived("teamName", "String", "team.name"))
                    \(derived("loudTeamName", "String", "uppercase:(team.name)"))
                  relationships: {team: {to: Team?, inverse: members}}
                Skill:
                  attributes:
                    points: Integer 32?
                    \(derived("users", "Integer 32", "teams.@count"))
                  relationships: {teams: {to: Team, many: true, inverse: skills}}
                Mark: {attributes: {weight: Integer 16?}}
                """
        )
    }

    private static func derived(_ name: String, _ type: String, _ expression: String) -> String {
        "\(name): {type: \(type), optional: true, derived: '\(expression)'}"
    }

    /// A store with a clock that stands still and IDs from a seed.
    static func open(
        _ folder: TemporaryFolder,
        _ name: String = "store",
        seed: UInt64 = 0
    ) async throws -> PersistentContainer {
        try await PersistentContainer.open(folder, name, model: model(), environment: .seeded(seed))
    }
}
