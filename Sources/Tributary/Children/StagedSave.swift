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
        var values: [PropertyValue]
        var hasFormer = false
        var changed: [Int]
        var amounts: [Int: PropertyValue]

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
        var ordering: RelationshipOrdering
        var added: [ManagedObjectID]
    }

    var objects: [Object] = []
    var pairs: [Pair] = []
    var orders: [Order] = []
    var delta = RelationshipDelta()
    var lost: [ObjectSnapshot] = []

    var isEmpty: Bool { objects.isEmpty && pairs.isEmpty && orders.isEmpty && lost.isEmpty }
}

struct ChildSave {
    let context: ManagedObjectContext

    /// Properties that the child has changed replace the parent's values, whatever the parent's merge policy is.
    func run(_ parent: any ContextParent) throws {
        let staged = stagedSave()
        if context.mergePolicy == .error {
            parent.processAllChanges()
            let conflicts = try context.pending.lostConflicts + self.conflicts(staged)
            guard conflicts.isEmpty else { throw ConflictError(conflicts: conflicts) }
        }
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
                object.extras?.former = nil
                if !object.values.isEmpty { object.row = object.image() }
            }
        }
        context.relationships.dropRelated(gone, touched: touched)
        context.reader.invalidatePrefetched()
        for object in objects + owners { object.didSave() }
    }

    private func conflicts(_ staged: StagedSave) throws(ContextError) -> [MergeConflict] {
        var touched: [ManagedObjectID] = []
        for object in staged.objects where object.action != .delete {
            if object.action == .update { touched.append(object.image.id) }
            for propertyIndex in object.changed {
                guard let target = object.values[propertyIndex].referencedID,
                    let relationship = object.image.entity.properties[propertyIndex].relationship,
                    let descriptor = context.schema.descriptor(named: relationship.destination)
                else { continue }
                touched.append(descriptor.objectID(target))
            }
        }
        for pair in staged.pairs where pair.isLinked { touched += [pair.owner, pair.target] }
        var seen: Set<ManagedObjectID> = []
        var conflicts: [MergeConflict] = []
        for id in touched where seen.insert(id).inserted {
            let object = context.object(with: id)
            guard object.state != .inserted, try context.reader.row(id.uniqueID, object.descriptor) == nil else {
                continue
            }
            let cached = object.row ?? object.row(object.descriptor.defaults, revision: 0)
            conflicts.append(MergeConflict(object, cached, nil, in: context))
        }
        return conflicts
    }

    private func stagedSave() -> StagedSave {
        var staged = StagedSave()
        staged.delta = context.pending.delta
        staged.lost = context.pending.lostEdits
        for object in context.pending.objects {
            switch object.state {
            case .inserted:
                let transients = object.descriptor.properties.transientIndexes
                staged.objects.append(self.staged(object, .insert, object.changed.propertyIndexes + transients))
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
        let delta = context.pending.delta
        for key in delta.orderedKeys {
            guard let owner = context.relationships.owner(of: key), owner.state != .deleted, owner.state != .gone,
                owner.isOrdered(key.propertyIndex)
            else { continue }
            let ids = context.relationships.relatedIDs(owner, key.propertyIndex)
            staged.orders.append(
                StagedSave.Order(
                    owner: owner.objectID,
                    propertyIndex: key.propertyIndex,
                    ordering: RelationshipOrdering(ids, moved: delta.orderings[key]?.moved ?? []),
                    added: delta[key]?.addedInOrder ?? []
                )
            )
        }
        return staged
    }

    private func staged(_ object: ManagedObject, _ action: StagedSave.Action, _ propertyIndexes: [Int])
        -> StagedSave.Object
    {
        let image =
            object.values.isEmpty ? object.row(object.descriptor.defaults, revision: 0) : object.image()
        return StagedSave.Object(
            key: object.key,
            action: action,
            image: image,
            values: object.values.isEmpty ? image.values : object.values,
            hasFormer: object.extras?.former != nil,
            changed: propertyIndexes,
            amounts: object.extras?.counted.mapValues(\.amount) ?? [:]
        )
    }
}

struct AbsorbOperation {
    let context: ManagedObjectContext

    /// Returns the changes of objects that are deleted or gone here.
    func absorb(_ staged: StagedSave) -> [ObjectSnapshot] {
        guard !context.isClosed else { return staged.objects.map(\.edits) }
        let known = staged.lost
        context.checkConfinement()
        context.processPendingChanges()
        var lost: [ObjectSnapshot] = []
        for staged in staged.objects where staged.action == .insert { absorbInsert(staged) }
        for staged in staged.objects where staged.action != .delete {
            guard let object = living(staged.image.id), object.descriptor.entity.name == staged.image.entity.name else {
                lost.append(staged.edits)
                continue
            }
            for propertyIndex in staged.changed {
                if let amount = staged.amounts[propertyIndex] {
                    object.count(amount, propertyIndex)
                } else {
                    absorb(staged.values[propertyIndex], propertyIndex, of: object)
                }
            }
        }
        var lostIDs = Set(lost.map(\.id))
        for pair in staged.pairs {
            let (owner, target) = (living(pair.owner), living(pair.target))
            if let owner, let target {
                context.relationships.setPair(owner, pair.propertyIndex, with: target, isLinked: pair.isLinked)
            } else if pair.isLinked {
                let gone = owner == nil ? pair.owner : pair.target
                if lostIDs.insert(gone).inserted { lost.append(ObjectSnapshot(id: gone, values: [:])) }
            }
        }
        for order in staged.orders {
            guard let owner = living(order.owner) else { continue }
            let key = RelationshipDelta.Key(owner, order.propertyIndex)
            context.pending.delta.appendAgain(order.added, to: key)
            let ids = order.ordering.ordering(context.relationships.relatedIDs(owner, order.propertyIndex))
            owner.arrange(ids, order.propertyIndex, moving: order.ordering.moved)
        }
        for staged in staged.objects where staged.action == .delete {
            if let object = living(staged.image.id) { context.delete(object) }
        }
        context.recordChange { $0.discarded += known + lost }
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
        if staged.hasFormer, let former = living(staged.image.id) { context.delete(former) }
        let known = context.registry.object(staged.key.id, rootIndex: staged.key.rootIndex)
        let former = known?.state == .deleted ? known.flatMap { context.relationships.makeWay($0) } : nil
        // A Deny rule may forbid to delete the former object.
        if let known, known.state == .deleted { return context.relationships.resurrect(known) }
        guard former != nil || living(staged.image.id) == nil else { return }
        let object = context.insertUnawakened(staged.key.id, descriptor, after: former)
        if former != nil { object.readCounters(context) }
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
