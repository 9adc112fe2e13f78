// A child's save, as values: taken from the child, and absorbed by its parent.

import TributaryChanges
import TributaryModel
import TributaryStore

struct StagedSave: Sendable {
    enum Action: Sendable {
        case insert
        case update
        case delete
    }

    struct Object: Sendable {
        var key: ObjectKey
        var action: Action
        var image: Row
        /// By property index, transient attributes included.
        var values: [PropertyValue]
        /// All property indexes when the object is inserted.
        var changed: [Int]

        var edits: ObjectSnapshot {
            var edits: [String: PropertyValue] = [:]
            for propertyIndex in changed { edits[image.entity.properties[propertyIndex].name] = values[propertyIndex] }
            return ObjectSnapshot(id: image.id, values: edits)
        }
    }

    struct Pair: Sendable {
        var owner: ManagedObjectID
        var propertyIndex: Int
        var target: ManagedObjectID
        var isLinked: Bool
    }

    struct Order: Sendable {
        var owner: ManagedObjectID
        var propertyIndex: Int
        var ids: [ManagedObjectID]
    }

    var objects: [Object] = []
    var pairs: [Pair] = []
    var orders: [Order] = []
    /// Derived relationships are included.
    var delta = RelationshipDelta()

    var isEmpty: Bool { objects.isEmpty && pairs.isEmpty && orders.isEmpty }
}

struct ChildSave {
    let context: ManagedObjectContext

    /// The parent's merge policy is not used: properties that the child has changed replace the parent's.
    func run(_ parent: any ContextParent) throws(ContextError) {
        let staged = stagedSave()
        let objects = context.pending.objects
        let owners = context.relationships.linkedOwners
        let lost = staged.isEmpty ? [] : Set(try parent.absorb(staged).map(\.id))
        let touched = context.pending.delta.keys
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
        context.relationships.dropRelated(gone, touched: touched)
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

struct AbsorbOperation {
    let context: ManagedObjectContext

    /// Properties that the child has changed replace this context's; returns the changes of objects that are deleted
    /// or gone here.
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
