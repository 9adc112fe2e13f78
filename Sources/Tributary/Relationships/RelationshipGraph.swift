// Relationships between the objects of a context: both ends, the order, what is not saved yet, and delete rules.

import TributaryChanges
import TributaryModel
import TributaryStore

struct RelationshipGraph {
    let context: ManagedObjectContext

    /// The property index is the same in all entities of the destination.
    func inverse(of relationship: Relationship) -> (descriptor: EntityDescriptor, propertyIndex: Int)? {
        guard let name = relationship.inverse,
            let descriptor = context.schema.descriptor(named: relationship.destination),
            let propertyIndex = descriptor.propertyIndex(named: name)
        else { return nil }
        return (descriptor, propertyIndex)
    }

    // MARK: Reading

    /// Returns the stored objects without the removed ones, then the added ones; the relationship is to-many or the
    /// inverse side of a one-to-one relationship.
    func relatedIDs(_ object: ManagedObject, _ propertyIndex: Int) -> [ManagedObjectID] {
        object.checkConfinement(propertyIndex)
        let key = RelationshipDelta.Key(object, propertyIndex)
        if let version = listVersion, let ordering = context.pending.delta.orderings[key],
            ordering.completeAt == version
        {
            return ordering.ids
        }
        let ids = context.pending.delta.related(storedIDs(object, propertyIndex), at: key)
        let relationship = object.descriptor.entity.properties[propertyIndex].relationship
        guard let relationship, let rootIndex = context.schema.descriptor(named: relationship.destination)?.rootIndex
        else {
            return ids
        }
        return ids.filter { isThere($0, rootIndex, at: relationship) }
    }

    /// Grows when lists may change although no program has linked or unlinked anything; nil below other contexts,
    /// whose changes are not announced.
    var listVersion: UInt64? {
        context.reader.isStore ? context.reader.shownVersion &+ context.pending.delta.visibility : nil
    }

    /// Does not build the list.
    func isRelated(_ object: ManagedObject, _ propertyIndex: Int, to id: ManagedObjectID) -> Bool {
        object.checkConfinement(propertyIndex)
        guard isThere(id, at: object.descriptor.entity.properties[propertyIndex].relationship) else { return false }
        if let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)] {
            if difference.added[id] != nil { return true }
            if difference.removed.contains(id) { return false }
        }
        return isStored(object, propertyIndex, id)
    }

    /// Whether the stored relationship had the ID when it was read.
    private func isStored(_ object: ManagedObject, _ propertyIndex: Int, _ id: ManagedObjectID) -> Bool {
        if let isKnown = object.extras?.isRelated(propertyIndex, to: id) { return isKnown }
        return storedIDs(object, propertyIndex).contains(id)
    }

    /// The relationship is read once until the object is refreshed.
    func storedIDs(_ object: ManagedObject, _ propertyIndex: Int) -> [ManagedObjectID] {
        guard object.state != .inserted, object.extras?.isUnsaved != true, object.descriptor.isKnown else { return [] }
        if let known = object.extras?.related[propertyIndex] { return known }
        do {
            let ids = try context.reader.related(to: object, propertyIndex)
            context.registry.keep(ids, at: propertyIndex, of: object)
            return ids
        } catch {
            context.reader.unreportedError = error
            object.makeExtras().faultError = error
            return []
        }
    }

    /// Drops, after a save, the stored relationships that it has changed, and deleted objects from the others: a merge
    /// may have added a reference to a deleted object after the delete rules were followed.
    func dropRelated(_ deleted: Set<ManagedObjectID>, touched: Set<RelationshipDelta.Key>) {
        for object in deleted.isEmpty ? [] : context.registry.relationshipReaders {
            guard let extras = object.extras else { continue }
            for (propertyIndex, ids) in extras.related where ids.contains(where: deleted.contains) {
                extras.related[propertyIndex] = ids.filter { !deleted.contains($0) }
            }
        }
        for key in touched {
            context.registry.object(key.id, rootIndex: key.rootIndex)?.extras?.related[key.propertyIndex] = nil
        }
    }

    private func isThere(_ id: ManagedObjectID, at relationship: Relationship?) -> Bool {
        guard let descriptor = context.schema.descriptor(named: id.rootEntity) else { return !isDeletedAbove(id) }
        return isThere(id, descriptor.rootIndex, at: relationship)
    }

    private func isThere(_ id: ManagedObjectID, _ rootIndex: Int, at relationship: Relationship?) -> Bool {
        guard let known = context.registry.object(id.uniqueID, rootIndex: rootIndex) else { return !isDeletedAbove(id) }
        return !known.state.isDeletion || (known.state != .gone && !isLeftOut(known, at: relationship))
    }

    /// Whether Nullify and Cascade make relationships omit an object that is deleted here, also relationships that a
    /// merge adds after the rule was followed.
    func isLeftOut(_ object: ManagedObject, at relationship: Relationship?) -> Bool {
        guard object.state == .deleted, !context.pending.isFollowingDeleteRules, let relationship,
            let (descriptor, propertyIndex) = inverse(of: relationship), !context.pending.isUnfollowed(object)
        else { return false }
        switch descriptor.entity.properties[propertyIndex].relationship?.deleteRule {
        case .nullify, .cascade: return true
        case .deny, .noAction, nil: return false
        }
    }

    private func isDeletedAbove(_ id: ManagedObjectID) -> Bool {
        guard !context.reader.isStore, let descriptor = context.schema.descriptor(named: id.rootEntity) else {
            return false
        }
        return context.reader.isDeletedAbove(id.uniqueID, rootIndex: descriptor.rootIndex)
    }

    /// Whether the target of a to-one register does not exist; the target is not in use here.
    func isMissing(_ id: UniqueID, _ descriptor: EntityDescriptor, isSetHere: Bool) -> Bool {
        guard isSetHere else { return context.reader.isDeletedAbove(id, rootIndex: descriptor.rootIndex) }
        do {
            return try context.reader.row(id, descriptor) == nil
        } catch {
            context.reader.unreportedError = error
            return false
        }
    }

    /// Whether a to-one register of the object has a target that was deleted elsewhere, which the store reads as null.
    func refersToMissing(_ object: ManagedObject) -> Bool {
        object.descriptor.entity.properties.indices.contains { propertyIndex in
            guard case .relationship(let relationship, .column) = object.descriptor.entity.properties[propertyIndex],
                object.state == .inserted || object.changed.contains(propertyIndex),
                object.values.indices.contains(propertyIndex),
                let id = object.values[propertyIndex].referencedID,
                let descriptor = context.schema.descriptor(named: relationship.destination)
            else { return false }
            guard let known = context.registry.object(id, rootIndex: descriptor.rootIndex) else {
                return isMissing(id, descriptor, isSetHere: true)
            }
            return known.state == .gone
        }
    }

    // MARK: Writing

    /// Sets a to-one register and the derived other ends; the caller sets inverses that are registers themselves.
    func setRegister(_ object: ManagedObject, _ propertyIndex: Int, to target: UniqueID?) {
        let old = object.read(propertyIndex).referencedID
        guard old != target else { return }
        object.write(target.map { .reference($0) } ?? .null, propertyIndex)
        moveInverse(object, propertyIndex, from: old, to: target, isEdit: true)
    }

    /// Adds the change of a register to the delta of its derived other ends; the reverse change removes it again.
    ///
    /// An edit puts the object at the end of an ordered relationship, and marks the objects at the other ends as
    /// updated.
    func moveInverse(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        from old: UniqueID?,
        to new: UniqueID?,
        isEdit: Bool = false
    ) {
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (descriptor, inverseIndex) = inverse(of: relationship)
        else { return }
        let id = object.objectID
        if object.state.isDeletion { context.pending.delta.changeVisibility() }
        for (end, isNew) in [(old, false), (new, true)] {
            guard let end else { continue }
            let key = RelationshipDelta.Key(descriptor, end, inverseIndex)
            if isNew {
                if isEdit {
                    keepOrder(key, relationship: descriptor.entity.properties[inverseIndex].relationship, adding: id)
                }
                context.pending.delta.add(id, to: key, isEdit: isEdit)
            } else {
                context.pending.delta.remove(id, from: key)
            }
            if isEdit { context.pending.addOwner(ObjectKey(rootIndex: descriptor.rootIndex, id: end)) }
            context.recordChange { notification in
                if let live = context.registry.object(end, rootIndex: descriptor.rootIndex) {
                    notification.addUpdate(of: live.objectID)
                }
            }
        }
    }

    func setPair(_ object: ManagedObject, _ propertyIndex: Int, with target: ManagedObject, isLinked: Bool) {
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            isRelated(object, propertyIndex, to: target.objectID) != isLinked
        else { return }
        UndoRecorder(context: context).recordPair(object, propertyIndex, with: target, isLinked: isLinked)
        if object.state.isDeletion || target.state.isDeletion { context.pending.delta.changeVisibility() }
        change(RelationshipDelta.Key(object, propertyIndex), relationship, target.objectID, isLinked)
        if let (descriptor, inverseIndex) = inverse(of: relationship) {
            // A relationship that is its own inverse has one key for an object that is linked to itself.
            let there = RelationshipDelta.Key(target, inverseIndex)
            let back = descriptor.entity.properties[inverseIndex].relationship
            if there != RelationshipDelta.Key(object, propertyIndex) { change(there, back, object.objectID, isLinked) }
        }
        context.recordEdit(of: object)
        context.recordEdit(of: target)
    }

    private func change(
        _ key: RelationshipDelta.Key,
        _ relationship: Relationship?,
        _ id: ManagedObjectID,
        _ isLinked: Bool
    ) {
        // A link or unlink that others have also made is not reverted by removing the context's own change.
        let isKnown =
            context.pending.delta[key].map { isLinked ? $0.removed.contains(id) : $0.added[id] != nil } ?? false
        let isStored = isKnown ? owner(of: key).map { self.isStored($0, key.propertyIndex, id) } : nil
        guard isLinked else { return context.pending.delta.remove(id, from: key, isStored: isStored ?? false) }
        keepOrder(key, relationship: relationship, adding: id)
        context.pending.delta.add(id, to: key, isStored: isStored ?? true)
    }

    /// An object that was removed from an ordered relationship and is added again goes to the end.
    private func keepOrder(_ key: RelationshipDelta.Key, relationship: Relationship?, adding id: ManagedObjectID) {
        guard relationship?.isOrdered == true, context.pending.delta.orderings[key] == nil,
            context.pending.delta[key]?.removed.contains(id) == true,
            let owner = context.registry.object(key.id, rootIndex: key.rootIndex)
        else { return }
        context.pending.delta.setOrder(relatedIDs(owner, key.propertyIndex), key, completeAt: listVersion)
    }

    func revertInverses(of object: ManagedObject) {
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property else { continue }
            switch storage {
            case .column:
                guard !object.values.isEmpty else { continue }
                let stored = object.row?.values[propertyIndex].referencedID
                let here = object.state == .deleted ? nil : object.values[propertyIndex].referencedID
                if here != stored { moveInverse(object, propertyIndex, from: here, to: stored) }
            case .links:
                revertPairs(object, propertyIndex, relationship)
            case .inverse: continue
            }
        }
    }

    private func revertPairs(_ object: ManagedObject, _ propertyIndex: Int, _ relationship: Relationship) {
        guard let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)] else { return }
        if let (descriptor, inverseIndex) = inverse(of: relationship) {
            for id in difference.added.keys {
                let there = RelationshipDelta.Key(descriptor, id.uniqueID, inverseIndex)
                context.pending.delta.remove(object.objectID, from: there)
            }
            for id in difference.removed {
                let there = RelationshipDelta.Key(descriptor, id.uniqueID, inverseIndex)
                context.pending.delta.add(object.objectID, to: there, isEdit: false)
            }
        }
        context.pending.delta.forget(RelationshipDelta.Key(object, propertyIndex))
    }

    func owner(of key: RelationshipDelta.Key) -> ManagedObject? { object(key.id, rootIndex: key.rootIndex) }

    private func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? {
        if let known = context.registry.object(id, rootIndex: rootIndex) { return known }
        return context.schema.rootDescriptor(at: rootIndex).map { context.object(with: $0.objectID(id)) }
    }

    /// Objects without changes of their own whose relationships differ from the stored ones; an owner that is not in
    /// use is read, so that objects that are gone are omitted.
    var linkedOwners: [ManagedObject] {
        context.pending.list.owners.keys.compactMap { key in
            guard let object = object(key.id, rootIndex: key.rootIndex), object.state == .clean, hasUnsavedLinks(object)
            else { return nil }
            if object.isFault { try? object.load() }
            guard object.state == .clean else { return nil }
            context.pending.hold(object)
            return object
        }
    }

    func hasUnsavedLinks(_ object: ManagedObject) -> Bool {
        guard !context.pending.delta.isEmpty else { return false }
        return object.descriptor.entity.properties.indices.contains { propertyIndex in
            guard object.descriptor.entity.properties[propertyIndex].relationship != nil else { return false }
            let key = RelationshipDelta.Key(object, propertyIndex)
            return context.pending.delta[key] != nil || context.pending.delta.orderings[key] != nil
        }
    }
}

extension PropertyValue {
    var referencedID: UniqueID? {
        guard case .reference(let id) = self else { return nil }
        return id
    }
}
