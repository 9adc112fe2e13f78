extension ManagedObjectContext {
    /// A new object with the ID, the entity and the values of a snapshot.
    ///
    /// To-one relationships may lead to objects that come later.
    ///
    /// - Returns: The object; a save writes it.
    /// - Throws: ``ContextError`` when the entity is unknown, abstract or of another class, or the ID is taken.
    @discardableResult
    public func insert<Snapshot: TypedSnapshot>(from snapshot: Snapshot) throws(ContextError) -> Snapshot.Object {
        let id = snapshot.objectID
        let type = try kind(named: id.entity).type
        guard type is Snapshot.Object.Type else {
            throw ContextError.wrongKind(entity: id.entity, property: "class", expected: "\(Snapshot.Object.self)")
        }
        let object = try insert(entity: id.entity, id: id.uniqueID)
        try object.update(from: snapshot)
        guard let object = object as? Snapshot.Object else { throw .unknownEntity(id.entity) }
        return object
    }

    /// A new object with the ID, the entity and the values of a snapshot.
    ///
    /// - Returns: The object; a save writes it.
    /// - Throws: ``ContextError`` when the entity is unknown or abstract, the ID is taken, or a value does not fit; then
    ///   there is no new object.
    @discardableResult
    public func insert(from snapshot: ObjectSnapshot) throws(ContextError) -> ManagedObject {
        let object = try insert(entity: snapshot.id.entity, id: snapshot.id.uniqueID)
        do {
            try object.update(from: snapshot)
        } catch {
            delete(object)
            throw error
        }
        return object
    }
}
