import TributaryChanges
import TributaryModel

/// The order of ordered to-many relationships.
///
/// In unordered relationships an insertion adds the object, and a move does nothing.
extension ManagedObject {
    /// Inserts an object into an ordered to-many relationship at an index; an object that is in it moves.
    ///
    /// An index beyond the ends counts as the nearest end.
    public func insert<Target: ManagedObject>(
        _ object: Target,
        into relationship: ToMany<Target>,
        at index: Int
    ) {
        let slot = relationship.slot(in: kind)
        do throws(ContextError) {
            try checkLink(object, slot)
            insert(object, slot, at: index)
        } catch {
            refuse(error, slot)
        }
    }

    /// Moves an object of an ordered to-many relationship to its new index.
    public func move<Target: ManagedObject>(_ object: Target, in relationship: ToMany<Target>, to index: Int) {
        if relatedObjects(relationship.slot(in: kind)).contains(object) {
            insert(object, into: relationship, at: index)
        }
    }

    /// Removes the object at an index from a to-many relationship; nil when there is none.
    @discardableResult
    public func remove<Target: ManagedObject>(at index: Int, from relationship: ToMany<Target>) -> Target? {
        let slot = relationship.slot(in: kind)
        let objects = relatedObjects(slot)
        guard objects.indices.contains(index) else { return nil }
        guard assignUnlink(objects[index], slot) else { return nil }
        return objects[index] as? Target
    }

    /// Replaces the object at an index and returns it; nil when there is none.
    @discardableResult
    public func replace<Target: ManagedObject>(
        at index: Int,
        in relationship: ToMany<Target>,
        with object: Target
    ) -> Target? {
        let slot = relationship.slot(in: kind)
        do throws(ContextError) {
            try checkLink(object, slot)
        } catch {
            refuse(error, slot)
            return nil
        }
        guard let old = remove(at: index, from: relationship) else { return nil }
        insert(object, into: relationship, at: index)
        return old
    }

    /// Inserts an object into an ordered to-many relationship at an index, by name.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the two is deleted or
    ///   gone.
    public func insert(_ object: ManagedObject, forKey key: String, at index: Int) throws(ContextError) {
        let slot = try slot(named: key)
        guard kind.entity.properties[slot].relationship?.isToMany == true else {
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "a to-many relationship")
        }
        try checkLink(object, slot)
        insert(object, slot, at: index)
    }

    /// Sets the objects of a to-many relationship in the given order, by name.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the objects is deleted or
    ///   gone; nothing is changed then.
    public func setObjects(_ objects: [ManagedObject], forKey key: String) throws(ContextError) {
        let slot = try slot(named: key)
        guard kind.entity.properties[slot].relationship?.isToMany == true else {
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "a to-many relationship")
        }
        try checkWritable(slot)
        for object in objects { try checkLink(object, slot) }
        setRelatedObjects(objects, slot)
    }

    func insert(_ object: ManagedObject, _ slot: Int, at index: Int) {
        link(object, slot)
        guard isOrdered(slot), let context = managedObjectContext else { return }
        let key = RelationshipDelta.Key(self, slot)
        // An object that was just added to the end of a known list moves without a visit to all others.
        if let version = context.relationships.listVersion,
            context.pending.delta.moveLast(object.objectID, to: index, key, version: version)
        {
            return context.recordEdit(of: self)
        }
        var ids = context.relationships.relatedIDs(self, slot)
        guard let place = ids.firstIndex(of: object.objectID) else { return }
        ids.remove(at: place)
        ids.insert(object.objectID, at: max(0, min(index, ids.count)))
        guard context.relationships.relatedIDs(self, slot) != ids else { return }
        UndoRecorder(context: context).recordOrder(of: self, slot)
        context.pending.delta.setOrder(ids, key, completeAt: context.relationships.listVersion)
        context.recordEdit(of: self)
    }

    func isOrdered(_ slot: Int) -> Bool {
        kind.entity.properties.indices.contains(slot)
            && kind.entity.properties[slot].relationship?.isOrdered == true
    }

    /// Sets the order of an ordered relationship.
    func arrange(_ ids: [ManagedObjectID], _ slot: Int) {
        guard isOrdered(slot), let context = managedObjectContext, context.relationships.relatedIDs(self, slot) != ids
        else { return }
        UndoRecorder(context: context).recordOrder(of: self, slot)
        context.pending.delta.setOrder(ids, RelationshipDelta.Key(self, slot))
        context.recordEdit(of: self)
    }

    // MARK: As a sequence

    /// Returns the objects of a to-many relationship as a sequence that can be changed in place.
    public func objects<Target: ManagedObject>(of relationship: ToMany<Target>) -> RelatedObjects<Target> {
        RelatedObjects(self, relationship)
    }

    /// Whether an object is at the other end of a to-many relationship, without building the list.
    func isRelated(_ slot: Int, to object: ManagedObject) -> Bool {
        managedObjectContext?.relationships.isRelated(self, slot, to: object.objectID) ?? false
    }
}
