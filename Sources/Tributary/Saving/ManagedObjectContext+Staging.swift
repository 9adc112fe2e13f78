import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// The save of a child: hands its changes to `push`, and takes its objects for clean.
    ///
    /// `push` answers with the changes that were dropped, because their objects are deleted above. The parent's rules for
    /// conflicts do not matter here: what the child has changed replaces what the parent has.
    func commit(_ push: (StagedSave) -> [ObjectSnapshot]) {
        let staged = stagedSave()
        let objects = pending.objects
        let owners = linkedOwners
        let lost = staged.isEmpty ? [] : Set(push(staged).map(\.id))
        let touched = Set(pending.delta.changes.keys).union(pending.delta.orderings.keys)
        pending.finishSave()
        request = nil
        var gone: Set<ManagedObjectID> = []
        for object in objects {
            if object.state == .deleted || lost.contains(object.objectID) {
                gone.insert(object.objectID)
                move(object, on: .saveDeletion(isLost: object.state != .deleted))
            } else {
                pending.move(object, on: .save)
                if !object.values.isEmpty { object.row = object.image }
            }
        }
        dropFromRelated(gone)
        for key in touched { registry.object(key.id, rootIndex: key.rootIndex)?.extras?.related[key.slot] = nil }
        passCount &+= 1
        for object in objects + owners { object.didSave() }
    }

    /// The context's changes as values, in order.
    private func stagedSave() -> StagedSave {
        var staged = StagedSave()
        for object in pending.objects {
            switch object.state {
            case .inserted: staged.objects.append(self.staged(object, .insert, Array(object.values.indices)))
            case .updated where !object.changed.isEmpty:
                staged.objects.append(self.staged(object, .update, object.changed.slots))
            case .deleted: staged.objects.append(self.staged(object, .delete, []))
            case .updated, .clean, .gone, .detached: break
            }
            for (slot, property) in object.kind.entity.properties.enumerated() {
                guard case .relationship(_, .links(_, ownsPairs: true)) = property,
                    let difference = pending.delta[key(object, slot)]
                else { continue }
                let owner = object.objectID
                staged.pairs += difference.removed.map {
                    StagedSave.Pair(owner: owner, slot: slot, target: $0, isLinked: false)
                }
                staged.pairs += difference.addedInOrder.map {
                    StagedSave.Pair(owner: owner, slot: slot, target: $0, isLinked: true)
                }
            }
        }
        for key in pending.delta.orderings.keys {
            guard let owner = owner(of: key), owner.state != .deleted, owner.state != .gone else { continue }
            let ids = relatedIDs(owner, key.slot)
            staged.orders.append(StagedSave.Order(owner: owner.objectID, slot: key.slot, ids: ids))
        }
        return staged
    }

    private func staged(_ object: ManagedObject, _ action: StagedSave.Action, _ slots: [Int]) -> StagedSave.Object {
        // An object that was deleted as a fault has no values to hand over.
        let image =
            object.values.isEmpty
            ? Row(id: object.objectID, entity: object.kind.entity, revision: 0, values: object.kind.defaults)
            : object.image
        return StagedSave.Object(
            key: object.key,
            action: action,
            image: image,
            values: object.values.isEmpty ? image.values : object.values,
            changed: slots
        )
    }
}
