public import TributaryChanges
import TributaryModel

extension ManagedObject {
    // MARK: By name

    /// Returns the objects at the other end of a relationship.
    ///
    /// - Throws: ``ContextError`` when the entity has no such relationship.
    public func objects(forKey key: String) throws(ContextError) -> [ManagedObject] {
        objectsAtOtherEnd(try relationshipIndex(key))
    }

    /// Returns the IDs of the objects at the other end of a relationship, without creating the objects.
    ///
    /// - Throws: ``ContextError`` when the entity has no such relationship.
    public func objectIDs(forKey key: String) throws(ContextError) -> [ManagedObjectID] {
        let propertyIndex = try relationshipIndex(key)
        guard descriptor.entity.properties[propertyIndex].relationship?.isToMany == true else {
            return relatedID(propertyIndex).map { [$0] } ?? []
        }
        return managedObjectContext?.relationships.relatedIDs(self, propertyIndex) ?? []
    }

    /// Adds an object to a to-many relationship.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the two is deleted or
    ///   gone.
    public func link(_ object: ManagedObject, forKey key: String) throws(ContextError) {
        let propertyIndex = try toManyIndex(key)
        try checkLink(object, propertyIndex)
        setLinked(true, object, propertyIndex)
    }

    /// Removes an object from a to-many relationship.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or the object is gone.
    public func unlink(_ object: ManagedObject, forKey key: String) throws(ContextError) {
        let propertyIndex = try toManyIndex(key)
        try checkWritable(propertyIndex)
        setLinked(false, object, propertyIndex)
    }

    private func relationshipIndex(_ key: String) throws(ContextError) -> Int {
        let propertyIndex = try propertyIndex(named: key)
        guard descriptor.entity.properties[propertyIndex].relationship != nil else {
            throw ContextError.wrongKind(entity: descriptor.entity.name, property: key, expected: "a relationship")
        }
        return propertyIndex
    }

    func toManyIndex(_ key: String) throws(ContextError) -> Int {
        let propertyIndex = try propertyIndex(named: key)
        guard descriptor.entity.properties[propertyIndex].relationship?.isToMany == true else {
            throw ContextError.wrongKind(
                entity: descriptor.entity.name,
                property: key,
                expected: "a to-many relationship"
            )
        }
        return propertyIndex
    }

    func objectsAtOtherEnd(_ propertyIndex: Int) -> [ManagedObject] {
        descriptor.entity.properties[propertyIndex].relationship?.isToMany == true
            ? relatedObjects(propertyIndex) : related(propertyIndex).map { [$0] } ?? []
    }

    /// False when the change is refused; then the next save throws the error.
    @discardableResult
    func attempt(_ propertyIndex: Int, _ change: () throws(ContextError) -> Void) -> Bool {
        do throws(ContextError) {
            try change()
            return true
        } catch {
            refuse(error, propertyIndex)
            return false
        }
    }

    // MARK: To-one, by property index

    private func relationship(_ propertyIndex: Int) -> (Relationship, RelationshipStorage)? {
        guard descriptor.entity.properties.indices.contains(propertyIndex),
            case .relationship(let relationship, let storage) = descriptor.entity.properties[propertyIndex]
        else { return nil }
        return (relationship, storage)
    }

    /// Nothing is read for an object that is not in use: its ID has the relationship's destination as the entity.
    func relatedID(_ propertyIndex: Int) -> ManagedObjectID? {
        guard let (relationship, storage) = relationship(propertyIndex), let context = managedObjectContext else {
            return nil
        }
        guard case .column = storage else { return context.relationships.relatedIDs(self, propertyIndex).first }
        guard let id = read(propertyIndex).referencedID,
            let descriptor = context.schema.descriptor(named: relationship.destination)
        else {
            return nil
        }
        if context.relationships.isTaken(id, from: self, at: relationship) { return nil }
        let known =
            context.registry.object(id, rootIndex: descriptor.rootIndex) ?? context.foundGone(id, descriptor)
        var isSetHere: Bool {
            state == .inserted || changed.contains(propertyIndex) || context.above?.unsaved(key) != nil
        }
        // A target that the store returned exists, and its merges update the faults of the context. A target that was
        // set here or above may have been deleted elsewhere since, and a fault may represent an object that is gone.
        guard let known, !known.isFault || (context.reader.isStore && !isSetHere) else {
            let isMissing =
                isSetHere
                ? context.relationships.isMissing(id, descriptor)
                : context.reader.isDeletedAbove(id, rootIndex: descriptor.rootIndex)
            return isMissing ? nil : descriptor.objectID(id)
        }
        // Most objects are not deleted, so no other look-up is needed for them.
        guard known.state.isDeletion else { return known.objectID }
        return known.state == .gone || context.relationships.isLeftOut(known, at: relationship) ? nil : known.objectID
    }

    func lostTarget(_ propertyIndex: Int) -> ManagedObjectID? {
        guard case (let relationship, .column)? = relationship(propertyIndex),
            let id = read(propertyIndex).referencedID, let context = managedObjectContext,
            let descriptor = context.schema.descriptor(named: relationship.destination),
            context.registry.object(id, rootIndex: descriptor.rootIndex)?.state != .deleted
        else { return nil }
        return descriptor.objectID(id)
    }

    func related(_ propertyIndex: Int) -> ManagedObject? {
        guard let context = managedObjectContext, let id = relatedID(propertyIndex) else { return nil }
        let object = context.object(with: id)
        return object.state == .gone ? nil : object
    }

    func assignRelated(_ target: ManagedObject?, _ propertyIndex: Int) {
        do throws(ContextError) {
            if let target { try checkLink(target, propertyIndex) } else { try checkWritable(propertyIndex) }
            setRelated(target, propertyIndex)
        } catch {
            if related(propertyIndex) !== target || state == .detached { refuse(error, propertyIndex) }
        }
    }

    func setRelated(_ target: ManagedObject?, _ propertyIndex: Int) {
        guard let (relationship, storage) = relationship(propertyIndex), !relationship.isToMany,
            let context = managedObjectContext
        else { return }
        let target = target.map(here)
        let inverse = context.relationships.inverse(of: relationship)
        switch storage {
        case .column:
            let oldValue = read(propertyIndex).referencedID
            guard oldValue != target?.uniqueID else { return markSet(propertyIndex) }
            // In a one-to-one relationship, the object that had the target loses it.
            if let target, let inverse,
                inverse.descriptor.entity.properties[inverse.propertyIndex].relationship?.isToMany == false,
                let holder = target.related(inverse.propertyIndex), holder !== self
            {
                context.relationships.setRegister(holder, propertyIndex, to: nil)
            }
            context.relationships.setRegister(self, propertyIndex, to: target?.uniqueID)
        case .inverse:
            guard let inverse else { return }
            let current = related(propertyIndex)
            guard current !== target else { return }
            if let current { context.relationships.setRegister(current, inverse.propertyIndex, to: nil) }
            target?.setRelated(self, inverse.propertyIndex)
        case .links: return
        }
    }

    // MARK: To-many, by property index

    func relatedObjects(_ propertyIndex: Int) -> [ManagedObject] {
        guard let (relationship, _) = relationship(propertyIndex), relationship.isToMany,
            let context = managedObjectContext
        else { return [] }
        let ids = context.relationships.relatedIDs(self, propertyIndex)
        context.pending.listSteps.count += ids.count
        return ids.map { context.object(with: $0) }
    }

    func assignRelatedObjects(_ targets: [ManagedObject], _ propertyIndex: Int) {
        attempt(propertyIndex) { () throws(ContextError) in
            try checkWritable(propertyIndex)
            let linkable = targets.filter { target in
                attempt(propertyIndex) { () throws(ContextError) in try checkLink(target, propertyIndex) }
            }
            setRelatedObjects(linkable, propertyIndex)
        }
    }

    @discardableResult
    func assignLinked(_ isLinked: Bool, _ target: ManagedObject, _ propertyIndex: Int) -> Bool {
        attempt(propertyIndex) { () throws(ContextError) in
            if isLinked { try checkLink(target, propertyIndex) } else { try checkWritable(propertyIndex) }
            setLinked(isLinked, target, propertyIndex)
        }
    }

    func setRelatedObjects(_ targets: [ManagedObject], _ propertyIndex: Int) {
        let current = relatedObjects(propertyIndex)
        if !isOrdered(propertyIndex), targets.count >= current.count, zip(targets, current).allSatisfy({ $0 === $1 }) {
            // The new list is the old list, perhaps with more objects at its end.
            for object in targets[current.count...] { setLinked(true, object, propertyIndex) }
            return
        }
        let wanted = Set(targets.map { here($0) })
        for object in current where !wanted.contains(object) { setLinked(false, object, propertyIndex) }
        let kept = Set(current)
        for object in targets.map(here) where !kept.contains(object) { setLinked(true, object, propertyIndex) }
        guard isOrdered(propertyIndex) else { return }
        var seen: Set<ManagedObjectID> = []
        arrange(targets.map { here($0).objectID }.filter { seen.insert($0).inserted }, propertyIndex)
    }

    func setLinked(_ isLinked: Bool, _ target: ManagedObject, _ propertyIndex: Int) {
        guard let (relationship, storage) = relationship(propertyIndex), relationship.isToMany,
            let context = managedObjectContext
        else { return }
        let target = here(target)
        switch storage {
        case .links: context.relationships.setPair(self, propertyIndex, with: target, isLinked: isLinked)
        case .inverse:
            guard let inverse = context.relationships.inverse(of: relationship),
                isLinked || target.read(inverse.propertyIndex).referencedID == uniqueID
            else { return }
            context.relationships.setRegister(target, inverse.propertyIndex, to: isLinked ? uniqueID : nil)
        case .column: return
        }
    }

    private func here(_ object: ManagedObject) -> ManagedObject {
        guard let context = managedObjectContext, object.managedObjectContext !== context else { return object }
        return context.object(with: object.objectID)
    }
}
