import TributaryChanges
import TributaryModel
import TributaryStore

/// Finds unsaved objects that would share a unique key with another object, and decides which object keeps it.
struct UniquenessPlanner {
    let context: ManagedObjectContext
    let reader: Reader
    /// Hidden objects that the save would show; the store has found that they have a key of one of its objects.
    let shadows: [RevealedShadow]

    /// Compares the keys of new and changed objects with each other and with the store.
    func plan() throws -> UniquenessPlan {
        var plan = UniquenessPlan()
        var holders: [UniqueKey: ManagedObject] = [:]
        for object in context.pending.objects where object.state == .inserted || object.state == .updated {
            for constraint in object.descriptor.entity.uniquenessConstraints {
                guard plan.results[ObjectIdentifier(object)] == nil,
                    let key = UniqueKey(of: object, constraint, in: context.schema.model)
                else { continue }
                // An object that has lost a conflict itself no longer holds its keys.
                if let other = holders[key], plan.results[ObjectIdentifier(other)] == nil {
                    let loser = try resolve(key, object, against: other, &plan)
                    if loser === other { holders[key] = object }
                    continue
                }
                holders[key] = object
                guard object.state == .inserted || key.propertyIndexes.contains(where: { object.changed.contains($0) })
                else {
                    continue
                }
                for row in try reader.holders(of: key.parts, entity: key.entity) where row.id != object.objectID {
                    // A changed object of this context is compared by its unsaved key, not by its row.
                    if context.registeredObject(for: row.id)?.isDirty == true { continue }
                    try resolve(key, object, against: row, &plan)
                }
                for shadow in shadows
                where shadow.key.object == object.objectID && shadow.key.properties == constraint {
                    try resolve(key, object, against: shadow.row, &plan)
                }
            }
        }
        return plan
    }

    /// Resolves a conflict between two objects of the context.
    ///
    /// A new object loses to a saved one. Of two new objects, the later one loses when the merge policy prefers the
    /// store; otherwise the earlier one loses. A conflict between two saved objects is always an error.
    private func resolve(
        _ key: UniqueKey,
        _ object: ManagedObject,
        against other: ManagedObject,
        _ plan: inout UniquenessPlan
    ) throws -> ManagedObject? {
        let areSaved = object.state == .updated && other.state == .updated
        guard context.mergePolicy != .error, !areSaved else {
            plan.conflicts.append(key.conflict([other.objectID, object.objectID], stored: nil))
            return nil
        }
        let isLaterLoser: Bool
        switch (object.state, other.state) {
        case (.inserted, .updated): isLaterLoser = true
        case (.updated, .inserted): isLaterLoser = false
        default: isLaterLoser = context.mergePolicy == .storeTrump || context.mergePolicy == .rollback
        }
        let (loser, winner) = isLaterLoser ? (object, other) : (other, object)
        plan.results[ObjectIdentifier(loser)] = .gone(isLost: true)
        plan.replace(loser, with: winner.uniqueID)
        return loser
    }

    private func resolve(
        _ key: UniqueKey,
        _ object: ManagedObject,
        against row: Row,
        _ plan: inout UniquenessPlan
    ) throws {
        let isNew = object.state == .inserted
        switch context.mergePolicy {
        case .objectTrump where isNew:
            let writes = SavePlan.writes(object, propertyIndexes: object.changed.propertyIndexes, isInsert: false)
            if !writes.isEmpty {
                plan.updates.append(
                    Change(entity: row.entity.name, id: row.uniqueID, operation: .update(writes))
                )
            }
            plan.results[ObjectIdentifier(object)] = .gone(isLost: true)
            plan.replace(object, with: row.uniqueID)
            plan.heirs[ObjectIdentifier(object)] = row
            plan.touched.append((row.id, false))
        case .error, .objectTrump:
            plan.conflicts.append(key.conflict([object.objectID], stored: row.snapshot(context.store.readable)))
        case .overwrite:
            plan.deletions.append(Change(entity: row.entity.name, id: row.uniqueID, operation: .delete))
            plan.touched.append((row.id, true))
        case .storeTrump, .rollback:
            if isNew {
                plan.results[ObjectIdentifier(object)] = .gone(isLost: true)
                plan.replace(object, with: row.uniqueID)
            } else if let stored = object.row {
                plan.results[ObjectIdentifier(object)] = .dropped(stored)
            }
        }
    }
}
