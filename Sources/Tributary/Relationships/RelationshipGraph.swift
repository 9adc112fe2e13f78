// Relationships between the objects of a context: both ends, the order, unsaved changes, and delete rules.

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

    func relatedIDs(_ object: ManagedObject, _ propertyIndex: Int) -> [ManagedObjectID] {
        object.checkConfinement(propertyIndex)
        let key = RelationshipDelta.Key(object, propertyIndex)
        if let version = listVersion, let ordering = context.pending.delta.orderings[key],
            ordering.completeAt == version
        {
            return ordering.ids
        }
        return relatedIDs(object, propertyIndex, stored: storedIDs(object, propertyIndex))
    }

    func relatedIDs(_ object: ManagedObject, _ propertyIndex: Int, stored: [ManagedObjectID]) -> [ManagedObjectID] {
        let stored = context.pending.hasReusedIDs ? stored.filter { !isReplaced($0) } : stored
        let key = RelationshipDelta.Key(object, propertyIndex)
        let relationship = object.descriptor.entity.properties[propertyIndex].relationship
        guard let relationship, let descriptor = context.schema.descriptor(named: relationship.destination) else {
            return context.pending.delta.related(stored, at: key)
        }
        let ids = context.pending.delta[key]?.applied(to: stored) ?? stored
        let present = ids.filter { isThere($0, descriptor, at: relationship) }
        // A link of this context replaces the stored owner of a one-to-one target.
        guard relationship.isToMany else { return present.suffix(1) }
        return context.pending.delta.orderings[key]?.ordering(present) ?? present
    }

    /// A new object may have the ID; stored relationships of the ID belong to the former object.
    private func isReplaced(_ id: ManagedObjectID) -> Bool {
        context.pending.hasReusedIDs && context.registeredObject(for: id)?.extras?.former != nil
    }

    /// Grows when lists may change without a link or unlink; nil below contexts, which do not announce their changes.
    var listVersion: UInt64? {
        context.reader.isStore ? context.reader.shownVersion &+ context.pending.delta.visibility : nil
    }

    func isRelated(_ object: ManagedObject, _ propertyIndex: Int, to id: ManagedObjectID) -> Bool {
        object.checkConfinement(propertyIndex)
        guard isThere(id, at: object.descriptor.entity.properties[propertyIndex].relationship) else { return false }
        if let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)] {
            if difference.added[id] != nil { return true }
            if difference.removed.contains(id) { return false }
        }
        return !isReplaced(id) && isStored(object, propertyIndex, id)
    }

    private func isStored(_ object: ManagedObject, _ propertyIndex: Int, _ id: ManagedObjectID) -> Bool {
        if let isKnown = object.extras?.isRelated(propertyIndex, to: id) { return isKnown }
        return storedIDs(object, propertyIndex).contains(id)
    }

    /// A deletion supersedes the pairs of its object, so a pair with a new object of that ID has to be linked.
    private func isStored(_ object: ManagedObject, _ propertyIndex: Int, _ id: ManagedObjectID, _ isLinked: Bool)
        -> Bool
    {
        let former = object.extras?.former
        guard isLinked else { return isStored(former ?? object, propertyIndex, id) }
        return former == nil && context.registeredObject(for: id)?.extras?.former == nil
            && isStored(object, propertyIndex, id)
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

    /// A merge may have added a reference to a deleted object after the delete rules were followed.
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
        return isThere(id, descriptor, at: relationship)
    }

    private func isThere(_ id: ManagedObjectID, _ descriptor: EntityDescriptor, at relationship: Relationship?) -> Bool
    {
        let known =
            context.registry.object(id.uniqueID, rootIndex: descriptor.rootIndex)
            ?? context.foundGone(id.uniqueID, descriptor)
        guard let known, !known.isFault else { return !isDeletedAbove(id) }
        return !known.state.isDeletion || (known.state != .gone && !isLeftOut(known, at: relationship))
    }

    /// Nullify and Cascade make relationships omit a deleted object, even if a merge adds it later.
    func isLeftOut(_ object: ManagedObject, at relationship: Relationship?) -> Bool {
        guard object.state == .deleted, !context.pending.isFollowingDeleteRules, let relationship,
            let (descriptor, propertyIndex) = inverse(of: relationship), !context.pending.isUnfollowed(object)
        else { return false }
        switch descriptor.entity.properties[propertyIndex].relationship?.deleteRule {
        case .nullify, .cascade: return true
        case .deny, .noAction, nil: return false
        }
    }

    /// True when others have given the target to this object, and the context has given it to another object.
    func isTaken(_ target: UniqueID, from object: ManagedObject, at relationship: Relationship) -> Bool {
        guard context.pending.delta.hasOneToOne || !context.reader.isStore,
            let (descriptor, inverseIndex) = inverse(of: relationship),
            let inverse = descriptor.entity.properties[inverseIndex].relationship, !inverse.isToMany
        else { return false }
        let key = RelationshipDelta.Key(descriptor, target, inverseIndex)
        let own = [object.objectID]
        let owners = context.pending.delta.related(context.above?.related(own, at: key) ?? own, at: key)
        return owners.last { isThere($0, at: inverse) }.map { $0 != object.objectID } ?? false
    }

    /// Whether a save may have given another object a one-to-one target of this object's unchanged registers.
    func mayLoseTarget(_ object: ManagedObject) -> Bool {
        guard context.pending.delta.hasOneToOne else { return false }
        return object.descriptor.entity.properties.enumerated().contains { propertyIndex, property in
            guard case .relationship(let relationship, .column) = property, !object.changed.contains(propertyIndex),
                object.values[propertyIndex].referencedID != nil,
                let (descriptor, inverseIndex) = inverse(of: relationship)
            else { return false }
            return descriptor.entity.properties[inverseIndex].relationship?.isToMany == false
        }
    }

    private func isDeletedAbove(_ id: ManagedObjectID) -> Bool {
        guard !context.reader.isStore, let descriptor = context.schema.descriptor(named: id.rootEntity) else {
            return false
        }
        return context.reader.isDeletedAbove(id.uniqueID, rootIndex: descriptor.rootIndex)
    }

    func refersToMissing(_ object: ManagedObject) -> Bool {
        object.descriptor.entity.properties.indices.contains { propertyIndex in
            guard case .relationship(let relationship, .column) = object.descriptor.entity.properties[propertyIndex],
                object.state == .inserted || object.changed.contains(propertyIndex),
                object.values.indices.contains(propertyIndex),
                let id = object.values[propertyIndex].referencedID,
                let descriptor = context.schema.descriptor(named: relationship.destination)
            else { return false }
            return isMissing(id, descriptor)
        }
    }

    func isMissing(_ id: UniqueID, _ descriptor: EntityDescriptor) -> Bool {
        if let known = context.registry.object(id, rootIndex: descriptor.rootIndex) {
            // A fault may be of an object that is gone.
            known.fire()
            return known.state == .gone
        }
        do {
            return try context.reader.row(id, descriptor) == nil
        } catch {
            context.reader.unreportedError = error
            return false
        }
    }

    // MARK: Writing

    func dropMissingReferences(of object: ManagedObject) {
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            guard case .relationship(let relationship, .column) = property,
                let descriptor = context.schema.descriptor(named: relationship.destination),
                let target = object.read(propertyIndex).referencedID
            else { continue }
            if isMissing(target, descriptor) { setRegister(object, propertyIndex, to: nil) }
        }
    }

    /// Also sets the derived other ends; the caller sets inverses that are registers themselves.
    func setRegister(_ object: ManagedObject, _ propertyIndex: Int, to target: UniqueID?, isMove: Bool = true) {
        let old = object.read(propertyIndex).referencedID
        guard old != target else { return }
        object.write(target.map { .reference($0) } ?? .null, propertyIndex)
        moveInverse(object, propertyIndex, from: old, to: target, isEdit: true, isMove: isMove)
    }

    /// Clears the one-to-one relationship of a target's owner, before another object gets the target.
    func release(_ target: UniqueID, at propertyIndex: Int, for object: ManagedObject) {
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (descriptor, inverseIndex) = inverse(of: relationship),
            descriptor.entity.properties[inverseIndex].relationship?.isToMany == false,
            let added = context.pending.delta[RelationshipDelta.Key(descriptor, target, inverseIndex)]?.added.keys
        else { return }
        for id in added where id != object.objectID {
            let owner = context.object(with: id)
            guard !owner.state.isDeletion, owner.read(propertyIndex).referencedID == target else { continue }
            setRegister(owner, propertyIndex, to: nil)
        }
    }

    /// An edit marks the other ends as updated; an edit that is a move puts the object at the end of an order.
    func moveInverse(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        from old: UniqueID?,
        to new: UniqueID?,
        isEdit: Bool = false,
        isMove: Bool = true
    ) {
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (descriptor, inverseIndex) = inverse(of: relationship)
        else { return }
        let id = object.objectID
        if object.state.isDeletion { context.pending.delta.changeVisibility() }
        let back = descriptor.entity.properties[inverseIndex].relationship
        if back?.isToMany == false { context.pending.delta.hasOneToOne = true }
        let base = object.rowValue(propertyIndex)?.referencedID
        for (end, isNew) in [(old, false), (new, true)] {
            guard let end else { continue }
            let key = RelationshipDelta.Key(descriptor, end, inverseIndex)
            // Others may insert the same object later. Then its stored list omits objects that the context has removed.
            let isStored = end == base && !(isNew && isUnknownToStore(end, descriptor))
            if isNew, isEdit, isMove {
                keepOrder(key, relationship: back, adding: id)
            }
            context.pending.delta.set(isNew, id, in: key, isStored: isStored, isAppended: isEdit && isMove)
            if isEdit { context.pending.addOwner(ObjectKey(rootIndex: descriptor.rootIndex, id: end)) }
            context.recordChange { notification in
                if let live = context.registry.object(end, rootIndex: descriptor.rootIndex) {
                    notification.addUpdate(of: live.objectID)
                }
            }
        }
    }

    private func isUnknownToStore(_ id: UniqueID, _ descriptor: EntityDescriptor) -> Bool {
        guard let object = context.registry.object(id, rootIndex: descriptor.rootIndex) else { return false }
        return object.state == .inserted || object.extras?.isUnsaved == true
    }

    func setPair(_ object: ManagedObject, _ propertyIndex: Int, with target: ManagedObject, isLinked: Bool) {
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            isRelated(object, propertyIndex, to: target.objectID) != isLinked
        else { return }
        changePair(object, propertyIndex, relationship, with: target, wasLinked: !isLinked) { key, relationship, id in
            change(key, relationship, id, isLinked)
        }
    }

    /// Restores the context's own change of a pair, whatever the store has by now.
    func restorePair(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        with target: ManagedObject,
        to change: RelationshipDelta.PairChange
    ) {
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            pairChange(object, propertyIndex, with: target) != change
        else { return }
        let wasLinked = isRelated(object, propertyIndex, to: target.objectID)
        changePair(object, propertyIndex, relationship, with: target, wasLinked: wasLinked) { key, relationship, id in
            let end = key.id == object.uniqueID && key.propertyIndex == propertyIndex ? change.here : change.there
            restore(key, relationship, id, to: end)
        }
    }

    func pairChange(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        with target: ManagedObject,
        in delta: RelationshipDelta? = nil
    ) -> RelationshipDelta.PairChange {
        let inverse = object.descriptor.entity.properties[propertyIndex].relationship.flatMap { self.inverse(of: $0) }
        let delta = delta ?? context.pending.delta
        return RelationshipDelta.PairChange(
            here: delta[RelationshipDelta.Key(object, propertyIndex)]?.end(target.objectID),
            there: inverse.flatMap { delta[RelationshipDelta.Key(target, $0.propertyIndex)]?.end(object.objectID) },
            saveCount: context.pending.saveCount
        )
    }

    func orderChange(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        in delta: RelationshipDelta? = nil
    ) -> RelationshipDelta.OrderChange {
        let key = RelationshipDelta.Key(object, propertyIndex)
        let delta = delta ?? context.pending.delta
        let ordering = delta.orderings[key]
        return RelationshipDelta.OrderChange(
            // Without moves the list has no effect.
            ordering: ordering?.moved.isEmpty == false ? ordering : nil,
            added: delta[key]?.addedInOrder ?? [],
            saveCount: context.pending.saveCount
        )
    }

    /// Restores the context's former change of an order, on top of the newest stored list; false if it has that change.
    func restoreOrder(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        to change: RelationshipDelta.OrderChange,
        moving ids: Set<ManagedObjectID>
    ) -> Bool {
        let now = orderChange(object, propertyIndex)
        let (here, before) = (Set(now.added), Set(change.added))
        let added = change.added.filter(here.contains) + now.added.filter { !before.contains($0) }
        guard
            added != now.added || change.ordering?.ids != now.ordering?.ids
                || change.ordering?.moved != now.ordering?.moved
        else { return false }
        UndoRecorder(context: context).recordOrder(of: object, propertyIndex, moving: ids)
        context.pending.delta.restoreOrder(change.ordering, added: added, RelationshipDelta.Key(object, propertyIndex))
        context.recordEdit(of: object)
        return true
    }

    private func changePair(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        _ relationship: Relationship,
        with target: ManagedObject,
        wasLinked: Bool,
        _ change: (RelationshipDelta.Key, Relationship?, ManagedObjectID) -> Void
    ) {
        UndoRecorder(context: context).recordPair(object, propertyIndex, with: target, wasLinked: wasLinked)
        if object.state.isDeletion || target.state.isDeletion { context.pending.delta.changeVisibility() }
        change(RelationshipDelta.Key(object, propertyIndex), relationship, target.objectID)
        if let (descriptor, inverseIndex) = inverse(of: relationship) {
            // A relationship that is its own inverse has one key for an object that is linked to itself.
            let there = RelationshipDelta.Key(target, inverseIndex)
            let back = descriptor.entity.properties[inverseIndex].relationship
            if there != RelationshipDelta.Key(object, propertyIndex) { change(there, back, object.objectID) }
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
        let isKnown = context.pending.delta[key]?.end(id) == (isLinked ? .removed : .added)
        let isStored = isKnown ? owner(of: key).map { self.isStored($0, key.propertyIndex, id, isLinked) } : nil
        guard isLinked else { return context.pending.delta.remove(id, from: key, isStored: isStored ?? false) }
        keepOrder(key, relationship: relationship, adding: id)
        context.pending.delta.add(id, to: key, isStored: isStored ?? true)
    }

    private func restore(
        _ key: RelationshipDelta.Key,
        _ relationship: Relationship?,
        _ id: ManagedObjectID,
        to end: RelationshipDelta.Change.End?
    ) {
        let current = context.pending.delta[key]?.end(id)
        guard current != end else { return }
        if end == .added || (end == nil && current == .removed) {
            keepOrder(key, relationship: relationship, adding: id)
            context.pending.delta.add(id, to: key, isStored: end == nil)
        } else {
            context.pending.delta.remove(id, from: key, isStored: end == .removed)
        }
    }

    private func keepOrder(_ key: RelationshipDelta.Key, relationship: Relationship?, adding id: ManagedObjectID) {
        let former = context.pending.delta.orderings[key]
        let isKnown = former?.completeAt.map { $0 == listVersion } ?? false
        guard relationship?.isOrdered == true, !isKnown, context.pending.delta[key]?.removed.contains(id) == true,
            let owner = context.registry.object(key.id, rootIndex: key.rootIndex)
        else { return }
        let ids = relatedIDs(owner, key.propertyIndex)
        let ordering = RelationshipOrdering(ids, moved: former?.moved ?? [], completeAt: listVersion)
        context.pending.delta.setOrder(ordering, key)
    }

    func revertInverses(of object: ManagedObject) {
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property else { continue }
            switch storage {
            case .column:
                guard !object.values.isEmpty else { continue }
                let stored = object.row?.values[propertyIndex].referencedID
                let here = object.state == .deleted ? nil : object.values[propertyIndex].referencedID
                // When others have linked the object as well, the context's own link remains.
                if here != stored || object.changed.contains(propertyIndex) {
                    moveInverse(object, propertyIndex, from: here, to: stored)
                }
            case .links:
                revertPairs(object, propertyIndex, relationship)
            // The order is a change of the object; a link to the object is a change of the other object.
            case .inverse: context.pending.delta.forgetOrder(RelationshipDelta.Key(object, propertyIndex))
            }
        }
    }

    private func revertPairs(_ object: ManagedObject, _ propertyIndex: Int, _ relationship: Relationship) {
        guard let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)] else { return }
        if let (descriptor, inverseIndex) = inverse(of: relationship) {
            for id in difference.added.keys {
                let there = RelationshipDelta.Key(descriptor, id.uniqueID, inverseIndex)
                context.pending.delta.set(false, object.objectID, in: there, isStored: false, isAppended: false)
            }
            for id in difference.removed {
                let there = RelationshipDelta.Key(descriptor, id.uniqueID, inverseIndex)
                context.pending.delta.set(true, object.objectID, in: there, isStored: true, isAppended: false)
            }
        }
        context.pending.delta.forget(RelationshipDelta.Key(object, propertyIndex))
    }

    func owner(of key: RelationshipDelta.Key) -> ManagedObject? { object(key.id, rootIndex: key.rootIndex) }

    private func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? {
        if let known = context.registry.object(id, rootIndex: rootIndex) { return known }
        return context.schema.rootDescriptor(at: rootIndex).map { context.object(with: $0.objectID(id)) }
    }

    /// Have relationships that differ from the store; objects that are not in use are read.
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
