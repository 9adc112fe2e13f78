import TributaryChanges
import TributaryModel

/// Records orders and pairs for undo before they change.
struct UndoRecorder {
    let context: ManagedObjectContext

    /// Records the order of an ordered relationship before it changes, also when only the order changes.
    func recordOrder(of object: ManagedObject, _ slot: Int) {
        guard let undoStack = context.undoStack, undoStack.isUndoRegistrationEnabled,
            object.kind.entity.properties[slot].relationship?.isOrdered == true, object.state != .gone,
            !undoStack.open.hasOrder(of: object, slot)
        else { return }
        undoStack.record(.order(object, slot: slot, old: context.relationships.relatedIDs(object, slot)))
    }

    /// Records a pair that is added or removed, with the orders that it changes.
    func recordPair(_ object: ManagedObject, _ slot: Int, with target: ManagedObject, isLinked: Bool) {
        guard let undoStack = context.undoStack else { return }
        recordOrder(of: object, slot)
        if let relationship = object.kind.entity.properties[slot].relationship,
            let (_, inverseSlot) = context.relationships.inverse(of: relationship)
        {
            recordOrder(of: target, inverseSlot)
        }
        undoStack.record(.pair(object, slot: slot, target: target, isLinked: isLinked))
    }

    /// Records the orders at the other ends that a register's change from one target to another affects.
    func recordOrders(_ object: ManagedObject, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
        guard let relationship = object.kind.entity.properties[slot].relationship,
            let (kind, inverseSlot) = context.relationships.inverse(of: relationship),
            kind.entity.properties[inverseSlot].relationship?.isOrdered == true
        else { return }
        for id in [old.referencedID, new.referencedID] {
            guard let id, let end = context.registry.object(id, rootIndex: kind.rootIndex) else { continue }
            recordOrder(of: end, inverseSlot)
        }
    }
}
