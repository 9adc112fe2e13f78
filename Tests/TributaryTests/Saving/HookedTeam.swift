import TestSupport

@testable import Tributary

/// A team that notes which of its hooks are called, and may count its members in one of them.
final class HookedTeam: ManagedObject, FieldAccess {
    override class var entityName: String { "Team" }
    static let size = Field<Int64?>("size")
    static let members = ToMany<HookedMember>("members")
    // Touched inside the bodies of one context alone.
    nonisolated(unsafe) static var calls: [String] = []
    nonisolated(unsafe) static var countsMembers = false

    override func willSave() {
        HookedTeam.calls.append("willSave")
        if HookedTeam.countsMembers { self.size = Int64(self[HookedTeam.members].count) }
    }
    override func didSave() { HookedTeam.calls.append("didSave") }
    override func validateForUpdate() throws { HookedTeam.calls.append("validateForUpdate") }

    static func open() async throws -> PersistentContainer {
        let text = """
            Team: {attributes: {size: Integer 64?}, relationships: {members: {to: Member, many: true, inverse: team}}}
            Member: {relationships: {team: {to: Team?, inverse: members}}}
            """
        return try await PersistentContainer(
            name: "hooked",
            model: try Model(entities: text),
            classes: [HookedTeam.self, HookedMember.self],
            store: .memory
        )
    }
}

final class HookedMember: ManagedObject, FieldAccess {
    override class var entityName: String { "Member" }
    static let team = ToOne<HookedTeam>("team")
}

/// A badge that writes down which of its hooks were called, in order.
final class HookedBadge: ManagedObject, FieldAccess {
    override class var entityName: String { "Badge" }
    static let number = Field<Int64?>("number")
    var calls: [String] = []

    override func prepareForDeletion() { calls.append("prepare \(state)") }
    override func willSave() { calls.append("willSave") }
    override func didSave() { calls.append("didSave \(state)") }
}
