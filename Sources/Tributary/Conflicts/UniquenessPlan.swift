import TributaryChanges
import TributaryModel
import TributaryStore

/// How a save resolves conflicts between objects that would share a unique key; references to a new object that loses
/// are redirected to the object that keeps the key.
struct UniquenessPlan {
    /// The results of changed objects that are not written as they are.
    var results: [ObjectIdentifier: SavePlan.ObjectResult] = [:]
    /// The replacements of new objects that are not written, by root entity; a replacement may be replaced as well.
    private(set) var replacements: [String: [UniqueID: UniqueID]] = [:]
    var heirs: [ObjectIdentifier: Row] = [:]
    var updates: [Change] = []
    var deletions: [Change] = []
    var touched: [(id: ManagedObjectID, isDeleted: Bool)] = []
    var conflicts: [ConstraintConflict] = []

    /// Returns the object that replaces a new object, the last one when that was replaced too; nil when the new object
    /// is written.
    func replacement(of id: UniqueID, root: String) -> UniqueID? {
        guard let replaced = replacements[root], var last = replaced[id] else { return nil }
        while let next = replaced[last] { last = next }
        return last
    }

    mutating func replace(_ object: ManagedObject, with other: UniqueID) {
        replacements[object.descriptor.entity.root, default: [:]][object.uniqueID] = other
    }

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
