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
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        attempt(propertyIndex) { () throws(ContextError) in
            try checkLink(object, propertyIndex)
            insert(object, propertyIndex, at: index)
        }
    }

    /// Moves an object of an ordered to-many relationship to its new index.
    public func move<Target: ManagedObject>(_ object: Target, in relationship: ToMany<Target>, to index: Int) {
        if relatedObjects(relationship.propertyIndex(in: descriptor)).contains(object) {
            insert(object, into: relationship, at: index)
        }
    }

    /// Removes the object at an index from a to-many relationship; nil when there is none.
    @discardableResult
    public func remove<Target: ManagedObject>(at index: Int, from relationship: ToMany<Target>) -> Target? {
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        let objects = relatedObjects(propertyIndex)
        guard objects.indices.contains(index) else { return nil }
        guard assignUnlink(objects[index], propertyIndex) else { return nil }
        return objects[index] as? Target
    }

    /// Replaces the object at an index and returns it; nil when there is none.
    @discardableResult
    public func replace<Target: ManagedObject>(
        at index: Int,
        in relationship: ToMany<Target>,
        with object: Target
    ) -> Target? {
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        guard attempt(propertyIndex, { () throws(ContextError) in try checkLink(object, propertyIndex) }),
            let old = remove(at: index, from: relationship)
        else { return nil }
        insert(object, into: relationship, at: index)
        return old
    }

    /// Inserts an object into an ordered to-many relationship at an index, by name.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the two is deleted or
    ///   gone.
    public func insert(_ object: ManagedObject, forKey key: String, at index: Int) throws(ContextError) {
        let propertyIndex = try toManyIndex(key)
        try checkLink(object, propertyIndex)
        insert(object, propertyIndex, at: index)
    }

    /// Sets the objects of a to-many relationship in the given order, by name.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the objects is deleted or
    ///   gone; nothing is changed then.
    public func setObjects(_ objects: [ManagedObject], forKey key: String) throws(ContextError) {
        let propertyIndex = try toManyIndex(key)
        try checkWritable(propertyIndex)
        for object in objects { try checkLink(object, propertyIndex) }
        setRelatedObjects(objects, propertyIndex)
    }

    func insert(_ object: ManagedObject, _ propertyIndex: Int, at index: Int) {
        link(object, propertyIndex)
        guard isOrdered(propertyIndex), let context = managedObjectContext else { return }
        let key = RelationshipDelta.Key(self, propertyIndex)
        // An object that was just added to the end of a known list moves without a visit to all others.
        if let version = context.relationships.listVersion,
            context.pending.delta.moveLast(object.objectID, to: index, key, version: version)
        {
            return context.recordEdit(of: self)
        }
        var ids = context.relationships.relatedIDs(self, propertyIndex)
        guard let place = ids.firstIndex(of: object.objectID) else { return }
        ids.remove(at: place)
        ids.insert(object.objectID, at: max(0, min(index, ids.count)))
        guard context.relationships.relatedIDs(self, propertyIndex) != ids else { return }
        UndoRecorder(context: context).recordOrder(of: self, propertyIndex)
        context.pending.delta.setOrder(ids, key, completeAt: context.relationships.listVersion)
        context.recordEdit(of: self)
    }

    func isOrdered(_ propertyIndex: Int) -> Bool {
        descriptor.entity.properties.indices.contains(propertyIndex)
            && descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true
    }

    func arrange(_ ids: [ManagedObjectID], _ propertyIndex: Int) {
        guard isOrdered(propertyIndex), let context = managedObjectContext,
            context.relationships.relatedIDs(self, propertyIndex) != ids
        else { return }
        UndoRecorder(context: context).recordOrder(of: self, propertyIndex)
        context.pending.delta.setOrder(ids, RelationshipDelta.Key(self, propertyIndex))
        context.recordEdit(of: self)
    }

    // MARK: As a sequence

    /// Returns the objects of a to-many relationship as a sequence that can be changed in place.
    public func objects<Target: ManagedObject>(of relationship: ToMany<Target>) -> RelatedObjects<Target> {
        RelatedObjects(self, relationship)
    }

    /// Whether an object is at the other end of a to-many relationship, without building the list.
    func isRelated(_ propertyIndex: Int, to object: ManagedObject) -> Bool {
        managedObjectContext?.relationships.isRelated(self, propertyIndex, to: object.objectID) ?? false
    }
}
