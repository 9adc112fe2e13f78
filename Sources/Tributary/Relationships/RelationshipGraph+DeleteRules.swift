import TributaryChanges
import TributaryModel
import TributaryStore

extension RelationshipGraph {
    func followDeleteRules() {
        context.pending.followDeleteRules { objects in
            for object in objects {
                for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
                    guard case .relationship(let relationship, let storage) = property else { continue }
                    follow(relationship, storage, propertyIndex, of: object)
                }
            }
            for object in objects where object.extras?.isUnsaved == true {
                guard let former = object.extras?.former else {
                    context.pending.move(object, on: .purge)
                    continue
                }
                // The links that the deletion of the former object has removed stay removed.
                context.pending.move(object, on: .makeWay)
                context.pending.move(former, on: .restore(.deleted))
            }
        }
    }

    /// Frees the ID of a deleted object for a new object; returns it when a save must delete it.
    func makeWay(_ object: ManagedObject) -> ManagedObject? {
        followDeleteRules()
        guard object.state == .deleted, denials(of: object).isEmpty else { return nil }
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            // The deletion supersedes the pairs that No Action has left.
            guard case .relationship(_, .links) = property else { continue }
            for other in object.relatedObjects(propertyIndex) {
                setPair(object, propertyIndex, with: other, isLinked: false)
            }
        }
        context.pending.move(object, on: .makeWay)
        return object
    }

    func follow(_ former: ManagedObject, by object: ManagedObject) {
        object.makeExtras().former = former
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            // Registers that No Action has left refer to the new object.
            guard case .relationship(let relationship, .inverse) = property, relationship.deleteRule == .noAction,
                let (descriptor, inverseIndex) = inverse(of: relationship)
            else { continue }
            do {
                for id in try context.reader.related(to: object, propertyIndex) {
                    let other = context.object(id.uniqueID, descriptor: descriptor)
                    guard other.read(inverseIndex).referencedID == object.uniqueID else { continue }
                    moveInverse(other, inverseIndex, from: nil, to: object.uniqueID)
                }
            } catch {
                context.reader.unreportedError = error
            }
        }
    }

    private func follow(
        _ relationship: Relationship,
        _ storage: RelationshipStorage,
        _ propertyIndex: Int,
        of object: ManagedObject
    ) {
        let others = object.objectsAtOtherEnd(propertyIndex)
        let recorder = UndoRecorder(context: context)
        recorder.recordOrder(of: object, propertyIndex, moving: [])
        let isUnsaved = object.extras?.isUnsaved == true
        // The effects of the insertion were undone before; objects that still refer to the object did so before it.
        let isReverted = isUnsaved && context.undoStack.map { $0.phase != .recording } ?? false
        if relationship.deleteRule == .cascade, !isReverted {
            for other in others { context.delete(other) }
        }
        let letsGo = relationship.deleteRule == .nullify || isUnsaved
        switch storage {
        case .column:
            // The object's own register is deleted with it; the derived other end changes at once.
            let target = object.read(propertyIndex)
            recorder.recordOrders(object, propertyIndex, from: target, to: .null)
            moveInverse(object, propertyIndex, from: target.referencedID, to: nil, isEdit: true)
        case .inverse:
            guard letsGo, let inverse = inverse(of: relationship) else { return }
            if object.extras?.former != nil, relationship.deleteRule != .nullify {
                // References that No Action left to the former object stay with that object.
                for other in others { moveInverse(other, inverse.propertyIndex, from: object.uniqueID, to: nil) }
                return
            }
            for other in others where other.state != .deleted { setRegister(other, inverse.propertyIndex, to: nil) }
        case .links:
            for other in others {
                if letsGo {
                    setPair(object, propertyIndex, with: other, isLinked: false)
                } else {
                    // The store removes the pair together with the object; undo has to restore both.
                    recorder.recordPair(object, propertyIndex, with: other, wasLinked: true)
                }
            }
        }
    }

    /// So a save also finds objects that others have linked; a context that shows a generation can read them later.
    func readOtherEndsOfDeleted() {
        guard context.reader.isStore, context.generation == nil, !context.pending.list.deletedRootIndexes.isEmpty
        else { return }
        for object in context.pending.objects where object.state == .deleted {
            for (propertyIndex, property) in object.descriptor.entity.properties.enumerated()
            where property.relationship?.isToMany == true {
                _ = storedIDs(object, propertyIndex)
            }
        }
    }

    func denials(of object: ManagedObject) -> [(relationship: String, objects: [ManagedObjectID])] {
        object.descriptor.entity.properties.enumerated().compactMap { propertyIndex, property in
            guard let relationship = property.relationship, relationship.deleteRule == .deny else { return nil }
            let left = object.objectsAtOtherEnd(propertyIndex).filter {
                $0.state != .deleted && $0.state != .gone && $0 !== object
            }
            return left.isEmpty ? nil : (relationship.name, left.map(\.objectID))
        }
    }

    /// After a saved deletion, the object becomes a new object with the ID.
    ///
    /// An object that others have inserted again has their values. The same undo removes the `reverted` objects.
    func resurrect(_ object: ManagedObject, reverted: Set<ManagedObject> = []) {
        guard object.state == .deleted || object.state == .gone, object.managedObjectContext === context else { return }
        let (id, rootIndex) = (object.uniqueID, object.descriptor.rootIndex)
        var former: ManagedObject?
        if object.state == .gone, let other = context.registry.object(id, rootIndex: rootIndex) {
            // The undo reverts the insertion of the other object, unless Deny forbids it. An object of others stays.
            guard other.state == .deleted || reverted.contains(other) else { return }
            context.delete(other)
            former = makeWay(other)
            if other.state == .deleted { return resurrect(other) }
        }
        let wasSaved = object.state == .deleted
        var isStoredDeletion = false
        if !wasSaved {
            if former == nil, var row = try? context.reader.row(id, object.descriptor) {
                if row.entity.name == object.descriptor.entity.name { context.appear(object, from: &row) }
                return
            }
            context.pending.hasReusedIDs = true
            object.row = nil
            // A save of the deletion has cleared the changes: the new object gets back all values.
            isStoredDeletion = object.extras?.isUnsaved != true
            if isStoredDeletion { object.setAllProperties() }
            object.extras?.isUnsaved = false
            object.extras?.related = [:]
            object.extras?.faultError = nil
            if object.values.isEmpty { object.values = object.descriptor.defaults }
            // Counters read their totals, which a deletion keeps: others may have inserted and deleted the object too.
            object.readCounters(context)
        }
        context.pending.resurrect(object, isChanged: !object.changed.isEmpty || hasPairs(object))
        if !wasSaved { object.extras?.former = nil }
        if let former { follow(former, by: object) }
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property else { continue }
            switch storage {
            case .column: moveInverse(object, propertyIndex, from: nil, to: object.read(propertyIndex).referencedID)
            case .inverse where isStoredDeletion:
                relinkStored(relationship, propertyIndex, of: object)
            case .inverse, .links: continue
            }
        }
        context.undoStack?.record(.appeared(object, insertedAt: wasSaved ? nil : context.pending.saveCount))
        context.recordChange { notification in
            if wasSaved {
                notification.deleted.remove(object.objectID)
                notification.updated.insert(object.objectID)
            } else {
                notification.inserted.insert(object.objectID)
            }
        }
    }

    /// Objects that No Action left with the ID refer to the new object, although their rows may lack the reference.
    private func relinkStored(_ relationship: Relationship, _ propertyIndex: Int, of object: ManagedObject) {
        guard let (descriptor, inverseIndex) = inverse(of: relationship) else { return }
        let entity = object.descriptor.entity
        do {
            let waiting = try context.reader.read {
                try $0.waiting(for: object.uniqueID, entity: entity, propertyIndex: propertyIndex)
            }
            for id in try context.reader.related(to: object, propertyIndex) + waiting.map(descriptor.objectID) {
                let other = context.object(with: id)
                let target = other.read(inverseIndex).referencedID
                if other.changed.contains(inverseIndex) || !relationship.isToMany {
                    guard target == object.uniqueID else { continue }
                    moveInverse(other, inverseIndex, from: nil, to: target)
                } else if target == nil || target == object.uniqueID, var row = other.row {
                    row.values[inverseIndex] = .null
                    other.row = row
                    other.values[inverseIndex] = .null
                    setRegister(other, inverseIndex, to: object.uniqueID)
                }
            }
        } catch {
            context.reader.unreportedError = error
        }
    }

    func unlistIfUnchanged(_ object: ManagedObject) {
        guard object.state == .updated else { return }
        let isReordered = isReordered(object)
        guard object.changed.isEmpty, !hasPairs(object), !isReordered else { return }
        context.pending.move(object, on: .revertToRow)
    }

    func isReordered(_ object: ManagedObject) -> Bool {
        object.descriptor.entity.properties.indices.contains { propertyIndex in
            let key = RelationshipDelta.Key(object, propertyIndex)
            guard let ordering = context.pending.delta.orderings[key] else { return false }
            guard !ordering.moved.isEmpty else {
                context.pending.delta.forgetOrder(key)
                return false
            }
            guard context.pending.delta[key] == nil,
                relatedIDs(object, propertyIndex) == storedIDs(object, propertyIndex)
            else { return true }
            context.pending.delta.forget(key)
            return false
        }
    }

    func hasMoves(_ object: ManagedObject) -> Bool {
        object.descriptor.entity.properties.indices.contains { propertyIndex in
            let key = RelationshipDelta.Key(object, propertyIndex)
            return context.pending.delta.orderings[key]?.moved.isEmpty == false
        }
    }

    func hasPairs(_ object: ManagedObject) -> Bool {
        object.descriptor.entity.properties.indices.contains { propertyIndex in
            guard case .relationship(_, .links) = object.descriptor.entity.properties[propertyIndex] else {
                return false
            }
            return context.pending.delta[RelationshipDelta.Key(object, propertyIndex)] != nil
        }
    }
}
