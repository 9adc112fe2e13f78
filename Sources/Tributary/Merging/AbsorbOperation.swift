import TributaryChanges
import TributaryModel
import TributaryStore

struct AbsorbOperation {
    let context: ManagedObjectContext

    /// Merges a child's save: its changed properties replace those of this context; returns the changes of objects that
    /// are deleted or gone here.
    func absorb(_ staged: StagedSave) -> [ObjectSnapshot] {
        guard !context.isClosed else { return staged.objects.map(\.edits) }
        context.checkConfinement()
        context.processPendingChanges()
        var lost: [ObjectSnapshot] = []
        for staged in staged.objects where staged.action == .insert { absorbInsert(staged) }
        for staged in staged.objects where staged.action != .delete {
            guard let object = living(staged.image.id), object.descriptor.entity.name == staged.image.entity.name else {
                lost.append(staged.edits)
                continue
            }
            for propertyIndex in staged.changed { absorb(staged.values[propertyIndex], propertyIndex, of: object) }
        }
        for pair in staged.pairs {
            guard let owner = living(pair.owner), let target = living(pair.target) else { continue }
            context.relationships.setPair(owner, pair.propertyIndex, with: target, isLinked: pair.isLinked)
        }
        for order in staged.orders {
            guard let owner = living(order.owner) else { continue }
            UndoRecorder(context: context).recordOrder(of: owner, order.propertyIndex)
            context.pending.delta.setOrder(order.ids, RelationshipDelta.Key(owner, order.propertyIndex))
            context.recordEdit(of: owner)
        }
        for staged in staged.objects where staged.action == .delete {
            if let object = living(staged.image.id) { context.delete(object) }
        }
        context.recordChange { $0.discarded += lost }
        context.processPendingChanges()
        return lost
    }

    private func living(_ id: ManagedObjectID) -> ManagedObject? {
        let object = context.object(with: id)
        if object.state == .clean, object.values.isEmpty { try? object.load() }
        switch object.state {
        case .inserted, .clean, .updated: return object
        case .deleted, .gone, .detached: return nil
        }
    }

    /// Makes sure that the object exists, with the model's defaults when it is new.
    private func absorbInsert(_ staged: StagedSave.Object) {
        let descriptor = context.schema.descriptor(of: staged.image.id)
        let known = context.registry.object(staged.key.id, rootIndex: staged.key.rootIndex)
        if let known, known.state == .deleted { return context.relationships.resurrect(known) }
        if living(staged.image.id) == nil { _ = context.insertUnawakened(staged.key.id, descriptor) }
    }

    private func absorb(_ value: PropertyValue, _ propertyIndex: Int, of object: ManagedObject) {
        guard case .relationship(let relationship, .column) = object.descriptor.entity.properties[propertyIndex] else {
            return object.write(value, propertyIndex)
        }
        let target = value.referencedID
        guard let inverse = context.relationships.inverse(of: relationship), let target,
            inverse.descriptor.entity.properties[inverse.propertyIndex].relationship?.isToMany == false
        else { return context.relationships.setRegister(object, propertyIndex, to: target) }
        // In a one-to-one relationship, the object that has the target here loses it.
        object.setRelated(context.object(target, entity: relationship.destination), propertyIndex)
    }
}
