public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    // MARK: Inserting

    /// Inserts a new object of the class's entity.
    ///
    /// - Parameters:
    ///   - type: the class; it was given to the container.
    ///   - id: a UUID that the caller provides; by default the object gets a new UUID, which never changes.
    /// - Returns: The object, with the model's defaults.
    /// - Throws: ``ContextError`` when the entity is unknown or abstract, the class was not given to the container, or
    ///   the ID is taken. An ID that is taken in the store is found out at save. The ID of an object that this context
    ///   has deleted is free, unless the delete rule Deny forbids its deletion: the save deletes the old object and
    ///   inserts the new object. The new object has only the values that it is given; counters, `max` and `min` keep
    ///   the written values.
    @discardableResult
    public func insert<Object: ManagedObject>(
        _ type: Object.Type,
        id: UniqueID? = nil
    ) throws(ContextError) -> Object {
        let descriptor = try descriptor(named: type.entityName)
        guard descriptor.type == type || descriptor.type is Object.Type else {
            throw ContextError.classNotGiven(type, entity: descriptor.entity.name)
        }
        let object = try insert(descriptor, id: id)
        // The object has the class of its entity's descriptor, so only another class has to be checked.
        if descriptor.type == type { return unsafeDowncast(object, to: type) }
        guard let object = object as? Object else { throw .unknownEntity(type.entityName) }
        return object
    }

    /// Inserts a new object of the entity; `id` is a UUID that the caller provides.
    ///
    /// - Throws: ``ContextError`` when the entity is unknown or abstract, or the ID is taken.
    @discardableResult
    public func insert(entity name: String, id: UniqueID? = nil) throws(ContextError) -> ManagedObject {
        try insert(try descriptor(named: name), id: id)
    }

    func insert(_ descriptor: EntityDescriptor, id: UniqueID?) throws(ContextError) -> ManagedObject {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        guard !descriptor.entity.isAbstract else { throw ContextError.abstractEntity(descriptor.entity.name) }
        let uniqueID = id ?? store.newID()
        var former: ManagedObject?
        if id != nil, let known = registry.object(uniqueID, rootIndex: descriptor.rootIndex), known.state != .gone {
            if known.state == .deleted {
                former = relationships.makeWay(known)
            } else if known.state == .clean, known.isFault {
                // A fault may represent an object that does not exist; the save detects an ID that is taken.
                try? known.load()
            }
            guard known.state == .gone else { throw ContextError.duplicateID(known.objectID) }
        }
        if id != nil { pending.hasReusedIDs = true }
        let object = insertUnawakened(uniqueID, descriptor, after: former)
        if id != nil { object.readCounters(self) }
        object.awakeFromInsert()
        return object
    }

    func insertUnawakened(
        _ id: UniqueID,
        _ descriptor: EntityDescriptor,
        after former: ManagedObject? = nil
    ) -> ManagedObject {
        let object = descriptor.type.init(ObjectOrigin(descriptor: descriptor, uniqueID: id, context: self))
        object.values = descriptor.defaults
        pending.insert(object)
        if let former {
            pending.hasReusedIDs = true
            relationships.follow(former, by: object)
        }
        undoStack?.record(.appeared(object, insertedAt: pending.saveCount))
        recordChange { $0.inserted.insert(object.objectID) }
        return object
    }

    /// Inserts a new object with the ID, the entity and the values of a snapshot.
    ///
    /// To-one relationships may refer to objects that are inserted later.
    ///
    /// - Returns: The object; a save writes it.
    /// - Throws: ``ContextError`` when the entity is unknown, abstract or of another class, or the ID is taken.
    @discardableResult
    public func insert<Snapshot: TypedSnapshot>(from snapshot: Snapshot) throws(ContextError) -> Snapshot.Object {
        let id = snapshot.objectID
        let descriptor = try descriptor(named: id.entity)
        guard descriptor.type is Snapshot.Object.Type else {
            try schema.check(Snapshot.Object.self, isClassOf: descriptor)
            throw ContextError.wrongClass(Snapshot.Object.self, entity: id.entity)
        }
        let object = try insert(entity: id.entity, id: id.uniqueID)
        try object.update(from: snapshot)
        guard let object = object as? Snapshot.Object else { throw .unknownEntity(id.entity) }
        return object
    }

    /// Inserts a new object with the ID, the entity and the values of a snapshot.
    ///
    /// - Returns: The object; a save writes it.
    /// - Throws: ``ContextError`` when the entity is unknown or abstract, the ID is taken, or a value does not fit;
    ///   then there is no new object.
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

    // MARK: Finding

    /// Returns the object of the ID, possibly as a fault.
    ///
    /// Nothing is read unless the entity has sub-entities, or the object is in use and gone; then it is read again in case
    /// others have inserted it again.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        checkConfinement()
        return object(id.uniqueID, descriptor: schema.descriptor(of: id))
    }

    /// Returns the object of the ID as an object of the given class, or nil when it is of another class.
    public func object<Object: ManagedObject>(with id: ManagedObjectID, as type: Object.Type) -> Object? {
        object(with: id) as? Object
    }

    /// Returns the object of the ID, and reads it when it is a fault.
    ///
    /// - Throws: ``ContextError`` `notFound`, or `notYetMerged` when the object exists only in a transaction that is
    ///   newer than the generation which the context shows, or `unreadable`.
    public func existingObject(with id: ManagedObjectID) throws(ContextError) -> ManagedObject {
        let object = object(with: id)
        guard object.state != .deleted else { throw ContextError.notFound(id) }
        try object.load()
        return object
    }

    /// Returns the object of the ID as an object of the given class.
    ///
    /// - Throws: as ``existingObject(with:)``, and ``ContextError`` `wrongKind` when the object is of another class.
    public func existingObject<Object: ManagedObject>(
        with id: ManagedObjectID,
        as type: Object.Type
    ) throws(ContextError) -> Object {
        let object = try existingObject(with: id)
        guard let typed = object as? Object else {
            try schema.check(type, isClassOf: object.descriptor)
            throw ContextError.wrongClass(type, entity: object.descriptor.entity.name)
        }
        return typed
    }

    /// Returns the object of the ID when it is in use in the context; nothing is read or created.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        checkConfinement()
        guard let descriptor = schema.descriptor(named: id.rootEntity) else { return nil }
        return registry.object(id.uniqueID, rootIndex: descriptor.rootIndex)
    }

    func object(_ id: UniqueID, entity: String) -> ManagedObject? {
        schema.descriptor(named: entity).map { object(id, descriptor: $0) }
    }

    func object(_ id: UniqueID, descriptor: EntityDescriptor) -> ManagedObject {
        if let known = registry.object(id, rootIndex: descriptor.rootIndex) { return known }
        if let gone = foundGone(id, descriptor) { return gone }
        // The row names the entity, and so the class; without sub-entities there is only one.
        if descriptor.hasSubentities, let row = try? reader.row(id, descriptor) {
            return object(for: row)
        }
        return register(id, descriptor)
    }

    func foundGone(_ id: UniqueID, _ descriptor: EntityDescriptor) -> ManagedObject? {
        guard let object = registry.goneObject(id, rootIndex: descriptor.rootIndex) else { return nil }
        guard var row = try? reader.row(id, descriptor) else {
            FaultLoading(context: self).explain(object)
            return object
        }
        guard row.entity.name == object.descriptor.entity.name else { return nil }
        appear(object, from: &row)
        return object
    }

    func appear(_ object: ManagedObject, from row: inout Row) {
        pending.move(object, on: .appear(isChanged: false))
        object.clearChanges()
        object.extras = nil
        object.values = []
        object.fill(from: &row)
    }

    private func register(_ id: UniqueID, _ descriptor: EntityDescriptor) -> ManagedObject {
        let object = descriptor.type.init(ObjectOrigin(descriptor: descriptor, uniqueID: id, context: self))
        registry.register(object)
        return object
    }

    func object(for row: Row) -> ManagedObject {
        var row = row
        return object(taking: &row)
    }

    /// Moves the values out of the row: a copy would touch memory that has left the processor's caches.
    func object(taking row: inout Row) -> ManagedObject {
        guard let descriptor = registry.descriptor(of: row, in: schema) else { return object(with: row.id) }
        if let known = registry.object(row.uniqueID, rootIndex: descriptor.rootIndex), known.state != .gone {
            if known.state == .clean, known.values.isEmpty, known.descriptor === descriptor { known.fill(from: &row) }
            return known
        }
        if let gone = registry.goneObject(row.uniqueID, rootIndex: descriptor.rootIndex),
            gone.descriptor === descriptor
        {
            appear(gone, from: &row)
            return gone
        }
        let object = register(row.uniqueID, descriptor)
        object.fill(from: &row)
        return object
    }

    func fault(for id: ManagedObjectID) -> ManagedObject {
        let descriptor = schema.descriptor(of: id)
        if let known = registry.object(id.uniqueID, rootIndex: descriptor.rootIndex), known.state != .gone {
            return known
        }
        return foundGone(id.uniqueID, descriptor) ?? register(id.uniqueID, descriptor)
    }

    // MARK: Deleting

    /// Marks an object as deleted; a save deletes it.
    ///
    /// Cascade and Nullify follow with ``processPendingChanges()``, which every save and fetch calls.
    public func delete(_ object: ManagedObject) {
        checkConfinement()
        guard object.managedObjectContext === self else { return }
        switch object.state {
        case .deleted, .gone, .detached: return
        case .clean:
            object.fire()
            guard object.state == .clean else { return }
        case .inserted, .updated: break
        }
        object.prepareForDeletion()
        // A new object is deleted like any other object until its delete rules have been followed.
        pending.delete(object)
        undoStack?.record(.disappeared(object))
        recordChange { $0.addDeletion(of: object.objectID) }
    }
}
