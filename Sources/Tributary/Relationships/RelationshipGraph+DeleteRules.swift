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
            for object in objects where object.extras?.isUnsaved == true { context.pending.move(object, on: .purge) }
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
        recorder.recordOrder(of: object, propertyIndex)
        if relationship.deleteRule == .cascade {
            for other in others { context.delete(other) }
        }
        let letsGo = relationship.deleteRule == .nullify || object.extras?.isUnsaved == true
        switch storage {
        case .column:
            // The object's own register is deleted with it; the derived other end changes at once.
            let target = object.read(propertyIndex)
            recorder.recordOrders(object, propertyIndex, from: target, to: .null)
            moveInverse(object, propertyIndex, from: target.referencedID, to: nil, isEdit: true)
        case .inverse:
            guard letsGo, let inverse = inverse(of: relationship) else { return }
            for other in others where other.state != .deleted { setRegister(other, inverse.propertyIndex, to: nil) }
        case .links:
            for other in others {
                if letsGo {
                    setPair(object, propertyIndex, with: other, isLinked: false)
                } else {
                    // The store removes the pair together with the object; undo has to restore both.
                    recorder.recordPair(object, propertyIndex, with: other, isLinked: false)
                }
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

    /// Resurrects a deleted object: an unsaved deletion is reverted, a saved one gives a new object under the ID.
    func resurrect(_ object: ManagedObject) {
        guard object.state == .deleted || object.state == .gone, object.managedObjectContext === context else { return }
        let wasSaved = object.state == .deleted
        if !wasSaved {
            object.row = nil
            object.changed.removeAll()
            object.extras?.isUnsaved = false
            object.extras?.related = [:]
            object.extras?.faultError = nil
            if object.values.isEmpty { object.values = object.descriptor.defaults }
        }
        context.pending.resurrect(object, isChanged: !object.changed.isEmpty || hasPairs(object))
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property else { continue }
            switch storage {
            case .column: moveInverse(object, propertyIndex, from: nil, to: object.read(propertyIndex).referencedID)
            case .inverse where !wasSaved && relationship.isToMany:
                relinkStored(relationship, propertyIndex, of: object)
            case .inverse, .links: continue
            }
        }
        context.undoStack?.record(.appeared(object))
        context.recordChange { notification in
            if wasSaved {
                notification.deleted.remove(object.objectID)
                notification.updated.insert(object.objectID)
            } else {
                notification.inserted.insert(object.objectID)
            }
        }
    }

    /// Links a new object to the stored objects that No Action has left with its ID.
    private func relinkStored(_ relationship: Relationship, _ propertyIndex: Int, of object: ManagedObject) {
        guard let (descriptor, inverseIndex) = inverse(of: relationship) else { return }
        let entity = object.descriptor.entity
        do {
            let waiting = try context.reader.read {
                try $0.waiting(for: object.uniqueID, entity: entity, propertyIndex: propertyIndex)
            }
            for id in try context.reader.related(to: object, propertyIndex) + waiting.map(descriptor.objectID) {
                let other = context.object(with: id)
                switch other.read(inverseIndex).referencedID {
                case nil: setRegister(other, inverseIndex, to: object.uniqueID)
                case object.uniqueID?: moveInverse(other, inverseIndex, from: nil, to: object.uniqueID)
                default: continue
                }
            }
        } catch {
            context.reader.unreportedError = error
        }
    }

    /// Whether the context has given a relationship another order than the stored one; forgets orders that are equal.
    func isReordered(_ object: ManagedObject) -> Bool {
        object.descriptor.entity.properties.indices.contains { propertyIndex in
            let key = RelationshipDelta.Key(object, propertyIndex)
            guard context.pending.delta.orderings[key] != nil else { return false }
            guard context.pending.delta[key] == nil,
                relatedIDs(object, propertyIndex) == storedIDs(object, propertyIndex)
            else { return true }
            context.pending.delta.forget(key)
            return false
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
