public import TributaryChanges
import TributaryModel

extension ManagedObject {
    // MARK: By name

    /// Returns the objects at the other end of a relationship.
    ///
    /// - Throws: ``ContextError`` when the entity has no such relationship.
    public func objects(forKey key: String) throws(ContextError) -> [ManagedObject] {
        let slot = try relationshipSlot(key)
        return kind.entity.properties[slot].relationship?.isToMany == true
            ? relatedObjects(slot) : related(slot).map { [$0] } ?? []
    }

    /// Returns the IDs of the objects at the other end of a relationship, without creating the objects.
    ///
    /// - Throws: ``ContextError`` when the entity has no such relationship.
    public func objectIDs(forKey key: String) throws(ContextError) -> [ManagedObjectID] {
        let slot = try relationshipSlot(key)
        guard kind.entity.properties[slot].relationship?.isToMany == true else {
            return relatedID(slot).map { [$0] } ?? []
        }
        return managedObjectContext?.relationships.relatedIDs(self, slot) ?? []
    }

    /// Adds an object to a to-many relationship.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the two is deleted or
    ///   gone.
    public func link(_ object: ManagedObject, forKey key: String) throws(ContextError) {
        let slot = try toManySlot(key)
        try checkLink(object, slot)
        link(object, slot)
    }

    /// Removes an object from a to-many relationship.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or the object is gone.
    public func unlink(_ object: ManagedObject, forKey key: String) throws(ContextError) {
        let slot = try toManySlot(key)
        try checkWritable(slot)
        unlink(object, slot)
    }

    private func relationshipSlot(_ key: String) throws(ContextError) -> Int {
        let slot = try slot(named: key)
        guard kind.entity.properties[slot].relationship != nil else {
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "a relationship")
        }
        return slot
    }

    private func toManySlot(_ key: String) throws(ContextError) -> Int {
        let slot = try slot(named: key)
        guard kind.entity.properties[slot].relationship?.isToMany == true else {
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "a to-many relationship")
        }
        return slot
    }

    // MARK: To-one, by slot

    private func relationship(_ slot: Int) -> (Relationship, RelationshipStorage)? {
        guard kind.entity.properties.indices.contains(slot),
            case .relationship(let relationship, let storage) = kind.entity.properties[slot]
        else { return nil }
        return (relationship, storage)
    }

    /// Returns the ID at the other end of a to-one relationship.
    ///
    /// Its entity is the relationship's destination when the object itself is not in use.
    func relatedID(_ slot: Int) -> ManagedObjectID? {
        guard let (relationship, storage) = relationship(slot), let context = managedObjectContext else { return nil }
        guard case .column = storage else { return context.relationships.relatedIDs(self, slot).first }
        guard let id = read(slot).referencedID, let kind = context.schema.kind(named: relationship.destination) else {
            return nil
        }
        guard let known = context.registry.object(id, rootIndex: kind.rootIndex) else {
            // A target that the store returned exists; one that was set here or above may have been deleted elsewhere
            // since.
            let isSetHere =
                state == .inserted || changed.contains(slot) || context.source.unsaved(key) != nil
            return context.relationships.isMissing(id, kind, isSetHere: isSetHere) ? nil : kind.objectID(id)
        }
        // Most objects are not deleted, so no other look-up is needed for them.
        guard known.state.isDeletion else { return known.objectID }
        return known.state == .gone || context.relationships.isLeftOut(known, at: relationship) ? nil : known.objectID
    }

    func related(_ slot: Int) -> ManagedObject? {
        guard let context = managedObjectContext, let id = relatedID(slot) else { return nil }
        let object = context.object(with: id)
        return object.state == .gone ? nil : object
    }

    /// Sets a to-one relationship for a typed key.
    func assignRelated(_ target: ManagedObject?, _ slot: Int) {
        do throws(ContextError) {
            if let target { try checkLink(target, slot) } else { try checkWritable(slot) }
            setRelated(target, slot)
        } catch {
            if related(slot) !== target || state == .detached { refuse(error, slot) }
        }
    }

    func setRelated(_ target: ManagedObject?, _ slot: Int) {
        guard let (relationship, storage) = relationship(slot), !relationship.isToMany,
            let context = managedObjectContext
        else { return }
        let target = target.map(here)
        let inverse = context.relationships.inverse(of: relationship)
        switch storage {
        case .column:
            let oldValue = read(slot).referencedID
            guard oldValue != target?.uniqueID else { return }
            // In a one-to-one relationship, the object that had the target loses it.
            if let target, let inverse, inverse.kind.entity.properties[inverse.slot].relationship?.isToMany == false,
                let holder = target.related(inverse.slot), holder !== self
            {
                context.relationships.setRegister(holder, slot, to: nil)
            }
            context.relationships.setRegister(self, slot, to: target?.uniqueID)
        case .inverse:
            guard let inverse else { return }
            let current = related(slot)
            guard current !== target else { return }
            if let current { context.relationships.setRegister(current, inverse.slot, to: nil) }
            target?.setRelated(self, inverse.slot)
        case .links: return
        }
    }

    // MARK: To-many, by slot

    func relatedObjects(_ slot: Int) -> [ManagedObject] {
        guard let (relationship, _) = relationship(slot), relationship.isToMany, let context = managedObjectContext
        else { return [] }
        return context.relationships.relatedIDs(self, slot).map { context.object(with: $0) }
    }

    /// Sets a to-many relationship for a typed key, without the objects that cannot be linked.
    func assignRelatedObjects(_ targets: [ManagedObject], _ slot: Int) {
        do throws(ContextError) {
            try checkWritable(slot)
        } catch {
            return refuse(error, slot)
        }
        let linkable = targets.filter { target in
            do throws(ContextError) {
                try checkLink(target, slot)
                return true
            } catch {
                refuse(error, slot)
                return false
            }
        }
        setRelatedObjects(linkable, slot)
    }

    /// Adds an object to a to-many relationship for a typed key.
    func assignLink(_ target: ManagedObject, _ slot: Int) {
        do throws(ContextError) {
            try checkLink(target, slot)
            link(target, slot)
        } catch {
            refuse(error, slot)
        }
    }

    /// Removes an object from a to-many relationship for a typed key; false when the removal is refused.
    @discardableResult
    func assignUnlink(_ target: ManagedObject, _ slot: Int) -> Bool {
        do throws(ContextError) {
            try checkWritable(slot)
            unlink(target, slot)
            return true
        } catch {
            refuse(error, slot)
            return false
        }
    }

    func setRelatedObjects(_ targets: [ManagedObject], _ slot: Int) {
        let current = relatedObjects(slot)
        if !isOrdered(slot), targets.count >= current.count, zip(targets, current).allSatisfy({ $0 === $1 }) {
            // The new list is the old one, perhaps with more objects at its end.
            for object in targets[current.count...] { link(object, slot) }
            return
        }
        let wanted = Set(targets.map { here($0) })
        for object in current where !wanted.contains(object) { unlink(object, slot) }
        let kept = Set(current)
        for object in targets.map(here) where !kept.contains(object) { link(object, slot) }
        guard isOrdered(slot) else { return }
        var seen: Set<ManagedObjectID> = []
        arrange(targets.map { here($0).objectID }.filter { seen.insert($0).inserted }, slot)
    }

    func link(_ target: ManagedObject, _ slot: Int) {
        guard let (relationship, storage) = relationship(slot), relationship.isToMany,
            let context = managedObjectContext
        else { return }
        let target = here(target)
        switch storage {
        case .links: context.relationships.setPair(self, slot, with: target, isLinked: true)
        case .inverse:
            guard let inverse = context.relationships.inverse(of: relationship) else { return }
            context.relationships.setRegister(target, inverse.slot, to: uniqueID)
        case .column: return
        }
    }

    func unlink(_ target: ManagedObject, _ slot: Int) {
        guard let (relationship, storage) = relationship(slot), relationship.isToMany,
            let context = managedObjectContext
        else { return }
        let target = here(target)
        switch storage {
        case .links: context.relationships.setPair(self, slot, with: target, isLinked: false)
        case .inverse:
            guard let inverse = context.relationships.inverse(of: relationship),
                target.read(inverse.slot).referencedID == uniqueID
            else { return }
            context.relationships.setRegister(target, inverse.slot, to: nil)
        case .column: return
        }
    }

    /// Returns the object with the same ID in this object's context.
    private func here(_ object: ManagedObject) -> ManagedObject {
        guard let context = managedObjectContext, object.managedObjectContext !== context else { return object }
        return context.object(with: object.objectID)
    }
}
