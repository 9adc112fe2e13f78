import TributaryChanges
import TributaryModel

extension ManagedObjectContext {
    /// Notes the order of an ordered relationship before it changes; call it also before objects only change places.
    func recordOrder(of object: ManagedObject, _ slot: Int) {
        guard let undoStack, undoStack.isUndoRegistrationEnabled,
            object.kind.entity.properties[slot].relationship?.isOrdered == true, object.state != .gone,
            !undoStack.open.hasOrder(of: object, slot)
        else { return }
        undoStack.record(.order(object, slot: slot, old: relatedIDs(object, slot)))
    }

    /// Notes a pair that is made or taken away, with the orders that it changes.
    func recordPair(_ object: ManagedObject, _ slot: Int, with target: ManagedObject, isLinked: Bool) {
        guard let undoStack else { return }
        recordOrder(of: object, slot)
        if let relationship = object.kind.entity.properties[slot].relationship,
            let (_, inverseSlot) = inverse(of: relationship)
        {
            recordOrder(of: target, inverseSlot)
        }
        undoStack.record(.pair(object, slot: slot, target: target, isLinked: isLinked))
    }

    /// Notes the orders that a register's move from one object to another changes at the other ends.
    func recordOrders(_ object: ManagedObject, _ slot: Int, from old: PropertyValue, to new: PropertyValue) {
        guard let relationship = object.kind.entity.properties[slot].relationship,
            let (kind, inverseSlot) = inverse(of: relationship),
            kind.entity.properties[inverseSlot].relationship?.isOrdered == true
        else { return }
        for id in [old.referencedID, new.referencedID] {
            guard let id, let end = registry.object(id, rootIndex: kind.rootIndex) else { continue }
            recordOrder(of: end, inverseSlot)
        }
    }
}
