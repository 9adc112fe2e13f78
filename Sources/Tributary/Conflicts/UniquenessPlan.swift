import TributaryChanges
import TributaryModel
import TributaryStore

/// What a save does about objects that would share a key with another one.
///
/// An object of the context that gives way is not written; what in the save refers to a new one that does refers to the
/// one that stays instead.
struct UniquenessPlan {
    /// Dirty objects that are not written as they are.
    var results: [ObjectIdentifier: SavePlan.ObjectResult] = [:]
    /// By root entity: new objects that are not written, with those that take their places; these may be among them as well.
    private(set) var replacements: [String: [UniqueID: UniqueID]] = [:]
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
    private func replacement(of id: UniqueID, root: String) -> UniqueID? {
        guard let replaced = replacements[root], var last = replaced[id] else { return nil }
        while let next = replaced[last] { last = next }
        return last
    }

    /// Keeps who takes the place of a new object.
    ///
    /// - Parameters:
    ///   - object: the new object.
    ///   - other: the object of the same root entity that stays.
    mutating func replace(_ object: ManagedObject, with other: UniqueID) {
        replacements[object.kind.entity.root, default: [:]][object.uniqueID] = other
    }

    /// The change with references to replaced objects turned to their replacements.
    ///
    /// - Parameters:
    ///   - change: a change of the save.
    ///   - entity: the entity of its object.
    ///   - model: the model of both.
    /// - Returns: The change to be written.
    func redirected(_ change: Change, _ entity: Entity, in model: Model) -> Change {
        guard !replacements.isEmpty else { return change }
        var change = change
        switch change.operation {
        case .insert(let writes): change.operation = .insert(writes.map { redirected($0, entity, model) })
        case .update(let writes): change.operation = .update(writes.map { redirected($0, entity, model) })
        case .link(let name, let ids, let positions):
            guard let root = targetRoot(of: name, entity, model) else { return change }
            let targets = ids.map { replacement(of: $0, root: root) ?? $0 }
            change.operation = .link(to: name, ids: targets, positions: positions)
        case .unlink, .delete: break
        }
        return change
    }

    /// The root entity of the objects to which a relationship leads.
    private func targetRoot(of relationship: String, _ entity: Entity, _ model: Model) -> String? {
        entity.property(named: relationship)?.relationship.flatMap { model.entity(named: $0.destination)?.root }
    }

    private func redirected(_ write: PropertyWrite, _ entity: Entity, _ model: Model) -> PropertyWrite {
        guard let root = targetRoot(of: write.name, entity, model), case .string(let text) = write.value,
            let target = UniqueID(text).flatMap({ replacement(of: $0, root: root) })
        else { return write }
        return PropertyWrite(name: write.name, value: .string(target.description))
    }
}
