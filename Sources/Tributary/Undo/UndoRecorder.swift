import TributaryChanges
import TributaryModel

struct UndoRecorder {
    let context: ManagedObjectContext

    /// Records the order of an ordered relationship before it changes, also when only the order changes.
    func recordOrder(of object: ManagedObject, _ propertyIndex: Int) {
        guard let undoStack = context.undoStack, undoStack.isUndoRegistrationEnabled,
            object.descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true, object.state != .gone,
            !undoStack.open.hasOrder(of: object, propertyIndex)
        else { return }
        undoStack.record(
            .order(object, propertyIndex: propertyIndex, old: context.relationships.relatedIDs(object, propertyIndex))
        )
    }

    func recordPair(_ object: ManagedObject, _ propertyIndex: Int, with target: ManagedObject, isLinked: Bool) {
        guard let undoStack = context.undoStack else { return }
        recordOrder(of: object, propertyIndex)
        if let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (_, inverseIndex) = context.relationships.inverse(of: relationship)
        {
            recordOrder(of: target, inverseIndex)
        }
        undoStack.record(.pair(object, propertyIndex: propertyIndex, target: target, isLinked: isLinked))
    }

    /// Records the orders at the other ends that a register's change from one target to another affects.
    func recordOrders(_ object: ManagedObject, _ propertyIndex: Int, from old: PropertyValue, to new: PropertyValue) {
        guard context.undoStack?.isUndoRegistrationEnabled == true,
            let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (descriptor, inverseIndex) = context.relationships.inverse(of: relationship),
            descriptor.entity.properties[inverseIndex].relationship?.isOrdered == true
        else { return }
        for id in [old.referencedID, new.referencedID] {
            if let id { recordOrder(of: context.object(with: descriptor.objectID(id)), inverseIndex) }
        }
    }
}
