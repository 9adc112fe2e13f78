import TributaryChanges
import TributaryModel
import TributaryStore

struct ChildSave {
    let context: ManagedObjectContext

    /// Passes the changes of the child to `push`, and marks its objects as saved.
    ///
    /// `push` returns the changes that were dropped, because their objects are deleted above. The parent's merge policy
    /// is not used: properties that the child has changed replace those of the parent.
    func run(_ push: (StagedSave) -> [ObjectSnapshot]) {
        let staged = stagedSave()
        let objects = context.pending.objects
        let owners = context.relationships.linkedOwners
        let lost = staged.isEmpty ? [] : Set(push(staged).map(\.id))
        let touched = Set(context.pending.delta.changes.keys).union(context.pending.delta.orderings.keys)
        context.pending.finishSave()
        context.saving.request = nil
        var gone: Set<ManagedObjectID> = []
        for object in objects {
            if object.state == .deleted || lost.contains(object.objectID) {
                gone.insert(object.objectID)
                context.move(object, on: .saveDeletion(isLost: object.state != .deleted))
            } else {
                context.pending.move(object, on: .save)
                if !object.values.isEmpty { object.row = object.image() }
            }
        }
        context.relationships.dropFromRelated(gone)
        for key in touched {
            context.registry.object(key.id, rootIndex: key.rootIndex)?.extras?.related[key.propertyIndex] = nil
        }
        context.reader.invalidatePrefetched()
        for object in objects + owners { object.didSave() }
    }

    private func stagedSave() -> StagedSave {
        var staged = StagedSave()
        staged.delta = context.pending.delta
        for object in context.pending.objects {
            switch object.state {
            case .inserted: staged.objects.append(self.staged(object, .insert, Array(object.values.indices)))
            case .updated where !object.changed.isEmpty:
                staged.objects.append(self.staged(object, .update, object.changed.propertyIndexes))
            case .deleted: staged.objects.append(self.staged(object, .delete, []))
            case .updated, .clean, .gone, .detached: break
            }
            for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
                guard case .relationship(_, .links(_, ownsPairs: true)) = property,
                    let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)]
                else { continue }
                let owner = object.objectID
                staged.pairs += difference.removed.map {
                    StagedSave.Pair(owner: owner, propertyIndex: propertyIndex, target: $0, isLinked: false)
                }
                staged.pairs += difference.addedInOrder.map {
                    StagedSave.Pair(owner: owner, propertyIndex: propertyIndex, target: $0, isLinked: true)
                }
            }
        }
        for key in context.pending.delta.orderings.keys {
            guard let owner = context.relationships.owner(of: key), owner.state != .deleted, owner.state != .gone else {
                continue
            }
            let ids = context.relationships.relatedIDs(owner, key.propertyIndex)
            staged.orders.append(StagedSave.Order(owner: owner.objectID, propertyIndex: key.propertyIndex, ids: ids))
        }
        return staged
    }

    private func staged(_ object: ManagedObject, _ action: StagedSave.Action, _ propertyIndexes: [Int])
        -> StagedSave.Object
    {
        // An object that was deleted as a fault has no values.
        let image =
            object.values.isEmpty ? object.row(object.descriptor.defaults, revision: 0) : object.image()
        return StagedSave.Object(
            key: object.key,
            action: action,
            image: image,
            values: object.values.isEmpty ? image.values : object.values,
            changed: propertyIndexes
        )
    }
}
