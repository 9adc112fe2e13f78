import TributaryChanges
import TributaryModel
import TributaryStore

/// What a save does about objects that would share a key with another one.
///
/// An object of the context that gives way is not written; what in the save refers to a new one that does refers to the
/// one that stays instead.
struct UniquenessPlan {
    /// Dirty objects that are not written as they are.
    var outcomes: [ObjectIdentifier: SavePlan.Outcome] = [:]
    /// New objects that are not written, with those that take their places; these may be among them as well.
    var replacements: [UniqueID: UniqueID] = [:]
    /// Updates of stored objects that take the values of new ones.
    var updates: [Change] = []
    /// Deletions of stored objects that give way.
    var deletions: [Change] = []
    /// Stored objects that the save touches.
    var touched: [(id: ManagedObjectID, isDeleted: Bool)] = []
    var conflicts: [ConstraintConflict] = []

    /// Who is there instead of a new object that is not written; nil when it is written.
    ///
    /// Whoever took its place may have given way in turn.
    private func replacement(of id: UniqueID) -> UniqueID? {
        guard var last = replacements[id] else { return nil }
        while let next = replacements[last] { last = next }
        return last
    }

    /// The change with references to replaced objects turned to their replacements.
    func redirected(_ change: Change, _ entity: Entity) -> Change {
        guard !replacements.isEmpty else { return change }
        var change = change
        switch change.operation {
        case .insert(let writes): change.operation = .insert(writes.map { redirected($0, entity) })
        case .update(let writes): change.operation = .update(writes.map { redirected($0, entity) })
        case .link(let name, let ids, let positions):
            change.operation = .link(to: name, ids: ids.map { replacement(of: $0) ?? $0 }, positions: positions)
        case .unlink, .delete: break
        }
        return change
    }

    private func redirected(_ write: PropertyWrite, _ entity: Entity) -> PropertyWrite {
        guard entity.property(named: write.name)?.relationship != nil, case .string(let text) = write.value,
            let target = UniqueID(text).flatMap({ replacement(of: $0) })
        else { return write }
        return PropertyWrite(name: write.name, value: .string(target.description))
    }
}
