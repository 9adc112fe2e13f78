import TributaryChanges
import TributaryModel
import TributaryStore

extension SaveOperation {
    /// Adds objects in use that the store has changed as an effect of this save to the plan.
    ///
    /// They are the other ends of one-to-one relationships, their former owners, objects that referred to a deleted
    /// object, and objects that a unique key has hidden. They get their new rows with the save, so that the context
    /// does not conflict with itself later.
    func addEffects(of committed: CommittedTransaction, _ reader: Reader, to plan: inout SavePlan) throws {
        let planned = Set(
            plan.results.compactMap { object, result -> ObjectIdentifier? in
                // An object that was only linked or unlinked has no new row of its own; the store may have given it
                // one.
                if case .written = result, object.changed.isEmpty, object.state == .updated { return nil }
                return ObjectIdentifier(object)
            }
        )
        let former = plan
        lazy var indices = former.indices
        for object in objectsInUse(of: committed.changes) {
            guard !planned.contains(ObjectIdentifier(object)), let known = object.row, !object.values.isEmpty else {
                continue
            }
            switch object.state {
            case .clean, .updated: break
            case .inserted, .deleted, .gone, .detached: continue
            }
            let row = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
            guard row?.revision != known.revision else { continue }
            if let index = indices[ObjectIdentifier(object)] {
                plan.results[index].result = .reread
            } else if object.state == .clean {
                plan.results.append((object, row == nil ? .gone(isLost: false) : .reread))
            }
            plan.rows[ObjectIdentifier(object)] = row
        }
    }

    private func objectsInUse(of changes: ObjectChanges) -> [ManagedObject] {
        if changes.collapsedEntities.isEmpty, !changes.isEverything, changes.count < context.registry.count {
            return [changes.updated, changes.deleted].joined().compactMap { context.registeredObject(for: $0) }
        }
        return context.registry.objects.filter { object in
            let id = object.objectID
            return changes.covers(id) || changes.updated.contains(id) || changes.deleted.contains(id)
        }
    }
}
