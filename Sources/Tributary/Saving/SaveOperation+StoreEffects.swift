import TributaryChanges
import TributaryModel
import TributaryStore

extension SaveOperation {
    /// Adds to the plan the objects in use that the store has changed by itself in this save, besides what was asked: the
    /// other end of a one-to-one, who lost it, what a deleted object was shown by, what a unique key hid.
    ///
    /// They take their new rows with the save, so that the context does not conflict with itself later.
    func addEffects(of committed: CommittedTransaction, _ reader: Reader, to plan: inout SavePlan) throws {
        let planned = Set(
            plan.outcomes.compactMap { object, outcome -> ObjectIdentifier? in
                // An object that was only linked anew has no new row of its own; the store may have given it one.
                if case .written = outcome, object.changed.isEmpty, object.state == .updated { return nil }
                return ObjectIdentifier(object)
            }
        )
        let outcomes = plan
        lazy var places = outcomes.places
        for object in objectsInUse(of: committed.changes) {
            guard !planned.contains(ObjectIdentifier(object)), let known = object.row, !object.values.isEmpty else {
                continue
            }
            switch object.state {
            case .clean, .updated: break
            case .inserted, .deleted, .gone, .detached: continue
            }
            let row = try reader.row(object.uniqueID, rootEntity: object.kind.entity.root)
            guard row?.revision != known.revision else { continue }
            if let index = places[ObjectIdentifier(object)] {
                plan.outcomes[index].outcome = .reread
            } else if object.state == .clean {
                plan.outcomes.append((object, row == nil ? .gone(isLost: false) : .reread))
            }
            plan.rows[ObjectIdentifier(object)] = row
        }
    }

    /// The objects in use that a save has updated or deleted, looked up from the smaller side.
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
