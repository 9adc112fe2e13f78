import TributaryChanges
import TributaryModel
import TributaryStore

/// What the objects of a context are related to: the store's links with the context's changes, and how links change.
struct RelationshipGraph {
    let context: ManagedObjectContext

    /// The relationship at the other end, as the slot that it has in every entity there.
    func inverse(of relationship: Relationship) -> (kind: ObjectKind, slot: Int)? {
        guard let name = relationship.inverse, let kind = context.schema.kind(named: relationship.destination),
            let slot = kind.slot(named: name)
        else { return nil }
        return (kind, slot)
    }

    // MARK: Reading

    /// What is at the other end of a to-many relationship or a derived one-to-one: what the store says, less what the
    /// context took out, then what it added.
    func relatedIDs(_ object: ManagedObject, _ slot: Int) -> [ManagedObjectID] {
        object.checkConfinement(slot)
        let key = RelationshipDelta.Key(object, slot)
        if let version = listVersion, let ordering = context.pending.delta.orderings[key],
            ordering.completeAt == version
        {
            return ordering.ids
        }
        let stored = storedIDs(object, slot)
        var ids = stored
        if let difference = context.pending.delta[key] {
            ids = stored.filter { !difference.removed.contains($0) && difference.added[$0] == nil }
            ids += difference.addedInOrder
        }
        if let ordering = context.pending.delta.orderings[key] { ids = ordering.ordering(ids) }
        let relationship = object.kind.entity.properties[slot].relationship
        guard let relationship, let rootIndex = context.schema.kind(named: relationship.destination)?.rootIndex else {
            return ids
        }
        return ids.filter { isThere($0, rootIndex, at: relationship) }
    }

    /// Moves when lists of related objects may show something else although nobody has linked or unlinked anything; nil
    /// below other contexts, whose changes come unannounced.
    var listVersion: UInt64? {
        context.reader.isStore ? context.reader.shownVersion &+ context.pending.delta.visibility : nil
    }

    /// Whether ``relatedIDs(_:_:)`` has the ID, without making the list.
    func isRelated(_ object: ManagedObject, _ slot: Int, to id: ManagedObjectID) -> Bool {
        object.checkConfinement(slot)
        guard isThere(id, at: object.kind.entity.properties[slot].relationship) else { return false }
        if let difference = context.pending.delta[RelationshipDelta.Key(object, slot)] {
            if difference.added[id] != nil { return true }
            if difference.removed.contains(id) { return false }
        }
        return isStored(object, slot, id)
    }

    /// Whether the store had the ID in a relationship when it was read, without visiting all that are in it.
    private func isStored(_ object: ManagedObject, _ slot: Int, _ id: ManagedObjectID) -> Bool {
        if let isKnown = object.extras?.isRelated(slot, to: id) { return isKnown }
        return storedIDs(object, slot).contains(id)
    }

    /// What the store says, read once until the object is refreshed.
    func storedIDs(_ object: ManagedObject, _ slot: Int) -> [ManagedObjectID] {
        guard object.state != .inserted, object.extras?.isUnsaved != true, object.kind.isKnown else { return [] }
        if let known = object.extras?.related[slot] { return known }
        do {
            let ids = try context.reader.related(to: object, slot)
            context.registry.keep(ids, at: slot, of: object)
            return ids
        } catch {
            context.reader.unreportedError = error
            object.makeExtras().faultError = error
            return []
        }
    }

    /// Takes deleted objects out of what was read of relationships: a merge may have brought a reference to them after
    /// the delete rules were followed.
    func dropFromRelated(_ deleted: Set<ManagedObjectID>) {
        guard !deleted.isEmpty else { return }
        for object in context.registry.relationshipReaders {
            guard let extras = object.extras else { continue }
            for (slot, ids) in extras.related where ids.contains(where: deleted.contains) {
                extras.related[slot] = ids.filter { !deleted.contains($0) }
            }
        }
    }

    private func isThere(_ id: ManagedObjectID, at relationship: Relationship?) -> Bool {
        guard let kind = context.schema.kind(named: id.rootEntity) else { return !isDeletedAbove(id) }
        return isThere(id, kind.rootIndex, at: relationship)
    }

    private func isThere(_ id: ManagedObjectID, _ rootIndex: Int, at relationship: Relationship?) -> Bool {
        guard let known = context.registry.object(id.uniqueID, rootIndex: rootIndex) else { return !isDeletedAbove(id) }
        return !known.state.isDeletion || (known.state != .gone && !isLeftOut(known, at: relationship))
    }

    /// Whether relationships leave out an object that is deleted here: under Nullify and Cascade, also those that a merge
    /// brings after the rule was followed.
    func isLeftOut(_ object: ManagedObject, at relationship: Relationship?) -> Bool {
        guard object.state == .deleted, !context.pending.isFollowingDeleteRules, let relationship,
            let (kind, slot) = inverse(of: relationship), !context.pending.isUnfollowed(object)
        else { return false }
        switch kind.entity.properties[slot].relationship?.deleteRule {
        case .nullify, .cascade: return true
        case .deny, .noAction, nil: return false
        }
    }

    private func isDeletedAbove(_ id: ManagedObjectID) -> Bool {
        guard !context.reader.isStore, let kind = context.schema.kind(named: id.rootEntity) else { return false }
        return context.reader.isDeletedAbove(id.uniqueID, rootIndex: kind.rootIndex)
    }

    /// Whether a to-one register leads to nothing, with a target that is not in use here.
    func isMissing(_ id: UniqueID, _ kind: ObjectKind, isSetHere: Bool) -> Bool {
        guard isSetHere else { return context.reader.isDeletedAbove(id, rootIndex: kind.rootIndex) }
        do {
            return try context.reader.row(id, kind) == nil
        } catch {
            context.reader.unreportedError = error
            return false
        }
    }

    /// Whether the object names one in a to-one register that was deleted elsewhere: the store then shows nothing there.
    func refersToMissing(_ object: ManagedObject) -> Bool {
        object.kind.entity.properties.indices.contains { slot in
            guard case .relationship(let relationship, .column) = object.kind.entity.properties[slot],
                object.state == .inserted || object.changed.contains(slot), object.values.indices.contains(slot),
                let id = object.values[slot].referencedID,
                let kind = context.schema.kind(named: relationship.destination)
            else { return false }
            guard let known = context.registry.object(id, rootIndex: kind.rootIndex) else {
                return isMissing(id, kind, isSetHere: true)
            }
            return known.state == .gone
        }
    }

    // MARK: Writing

    /// Writes a to-one register and the change at the other ends; inverses that are registers themselves are the caller's.
    func setRegister(_ object: ManagedObject, _ slot: Int, to target: UniqueID?) {
        let old = object.read(slot).referencedID
        guard old != target else { return }
        object.write(target.map { .reference($0) } ?? .null, slot)
        moveInverse(object, slot, from: old, to: target, addsOwners: true)
    }

    /// Adds the move of a register to the delta of its derived other ends.
    ///
    /// The move back takes it out again.
    ///
    /// - Parameters:
    ///   - object: the object that has the register.
    ///   - slot: the register.
    ///   - old: the target before the move.
    ///   - new: the target after it.
    ///   - addsOwners: whether the objects at the other ends count as updated.
    func moveInverse(
        _ object: ManagedObject,
        _ slot: Int,
        from old: UniqueID?,
        to new: UniqueID?,
        addsOwners: Bool = false
    ) {
        guard let relationship = object.kind.entity.properties[slot].relationship,
            let (kind, inverseSlot) = inverse(of: relationship)
        else { return }
        let id = object.objectID
        if object.state.isDeletion { context.pending.delta.changeVisibility() }
        for (end, isNew) in [(old, false), (new, true)] {
            guard let end else { continue }
            let key = RelationshipDelta.Key(rootIndex: kind.rootIndex, id: end, slot: inverseSlot)
            if isNew {
                keepOrder(key, relationship: kind.entity.properties[inverseSlot].relationship, adding: id)
                context.pending.delta.add(id, to: key)
            } else {
                context.pending.delta.remove(id, from: key)
            }
            if addsOwners { context.pending.addOwner(ObjectKey(rootIndex: kind.rootIndex, id: end)) }
            context.recordChange { notice in
                if let live = context.registry.object(end, rootIndex: kind.rootIndex) {
                    notice.addUpdate(of: live.objectID)
                }
            }
        }
    }

    /// Adds or removes a pair of a relationship that is stored as pairs, at both ends.
    func setPair(_ object: ManagedObject, _ slot: Int, with target: ManagedObject, isLinked: Bool) {
        guard let relationship = object.kind.entity.properties[slot].relationship,
            isRelated(object, slot, to: target.objectID) != isLinked
        else { return }
        UndoRecorder(context: context).recordPair(object, slot, with: target, isLinked: isLinked)
        if object.state.isDeletion || target.state.isDeletion { context.pending.delta.changeVisibility() }
        change(RelationshipDelta.Key(object, slot), relationship, target.objectID, isLinked)
        if let (kind, inverseSlot) = inverse(of: relationship) {
            // A relationship that is its own inverse has one key for an object that is linked to itself.
            let there = RelationshipDelta.Key(target, inverseSlot)
            let back = kind.entity.properties[inverseSlot].relationship
            if there != RelationshipDelta.Key(object, slot) { change(there, back, object.objectID, isLinked) }
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
        // What others have linked or unlinked meanwhile as well is no longer undone by forgetting the own change.
        let isKnown =
            context.pending.delta[key].map { isLinked ? $0.removed.contains(id) : $0.added[id] != nil } ?? false
        let isStored = isKnown ? owner(of: key).map { self.isStored($0, key.slot, id) } : nil
        guard isLinked else { return context.pending.delta.remove(id, from: key, isStored: isStored ?? false) }
        keepOrder(key, relationship: relationship, adding: id)
        context.pending.delta.add(id, to: key, isStored: isStored ?? true)
    }

    /// An object that was taken out of an ordered relationship comes back at its end, not where it was.
    private func keepOrder(_ key: RelationshipDelta.Key, relationship: Relationship?, adding id: ManagedObjectID) {
        guard relationship?.isOrdered == true, context.pending.delta.orderings[key] == nil,
            context.pending.delta[key]?.removed.contains(id) == true,
            let owner = context.registry.object(key.id, rootIndex: key.rootIndex)
        else { return }
        context.pending.delta.setOrder(relatedIDs(owner, key.slot), key, completeAt: listVersion)
    }

    /// Takes back what the changes of an object have done to the other ends.
    func revertInverses(of object: ManagedObject) {
        for (slot, property) in object.kind.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property else { continue }
            switch storage {
            case .column:
                guard !object.values.isEmpty else { continue }
                let stored = object.row?.values[slot].referencedID
                let here = object.state == .deleted ? nil : object.values[slot].referencedID
                if here != stored { moveInverse(object, slot, from: here, to: stored) }
            case .links:
                revertPairs(object, slot, relationship)
            case .inverse: continue
            }
        }
    }

    private func revertPairs(_ object: ManagedObject, _ slot: Int, _ relationship: Relationship) {
        guard let difference = context.pending.delta[RelationshipDelta.Key(object, slot)] else { return }
        if let (kind, inverseSlot) = inverse(of: relationship) {
            for (ids, isAdded) in [(Array(difference.added.keys), true), (Array(difference.removed), false)] {
                for id in ids {
                    let there = RelationshipDelta.Key(rootIndex: kind.rootIndex, id: id.uniqueID, slot: inverseSlot)
                    if isAdded {
                        context.pending.delta.remove(object.objectID, from: there)
                    } else {
                        context.pending.delta.add(object.objectID, to: there)
                    }
                }
            }
        }
        context.pending.delta.forget(RelationshipDelta.Key(object, slot))
    }

    // MARK: Owners

    /// The object of a relationship, made when it is not in use.
    func owner(of key: RelationshipDelta.Key) -> ManagedObject? {
        if let known = context.registry.object(key.id, rootIndex: key.rootIndex) { return known }
        guard let root = context.schema.rootKind(at: key.rootIndex) else { return nil }
        return context.object(with: root.objectID(key.id))
    }

    /// Objects without changes of their own whose relationships differ from what the store says.
    ///
    /// An owner that is not in use is read, so that those which are gone stay out.
    var linkedOwners: [ManagedObject] {
        context.pending.ownerKeys.compactMap { key in
            let known = context.registry.object(key.id, rootIndex: key.rootIndex)
            guard
                let object = known
                    ?? context.schema.rootKind(at: key.rootIndex).map({ context.object(with: $0.objectID(key.id)) }),
                object.state == .clean, hasUnsavedLinks(object)
            else { return nil }
            if object.isFault { try? object.load() }
            guard object.state == .clean else { return nil }
            context.pending.hold(object)
            return object
        }
    }

    /// Whether a to-many relationship or a derived one-to-one of the object differs from what the store says.
    func hasUnsavedLinks(_ object: ManagedObject) -> Bool {
        guard !context.pending.delta.isEmpty else { return false }
        return object.kind.entity.properties.indices.contains { slot in
            guard object.kind.entity.properties[slot].relationship != nil else { return false }
            let key = RelationshipDelta.Key(object, slot)
            return context.pending.delta[key] != nil || context.pending.delta.orderings[key] != nil
        }
    }
}

extension PropertyValue {
    /// The target of a to-one relationship, nil for null.
    var referencedID: UniqueID? {
        guard case .reference(let id) = self else { return nil }
        return id
    }
}
