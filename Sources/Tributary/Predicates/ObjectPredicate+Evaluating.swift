import TributaryChanges
public import TributaryModel

extension ObjectPredicate {
    /// Returns whether an object matches the predicate in its current state, with its unsaved changes.
    ///
    /// The result is the same as for a fetch in the object's context. Paths read other objects as if a program followed
    /// the relationship.
    ///
    /// - Throws: ``ContextError`` when the object cannot be read, `ObjectPredicateError` when the predicate does not
    ///   fit the object's entity.
    public func evaluate(with object: ManagedObject) throws -> Bool {
        guard let context = object.managedObjectContext else { throw ContextError.detached(object.objectID) }
        context.checkConfinement()
        try object.load()
        let predicate = context.store.resolvingNow(self)
        return try predicate.bind(to: object.descriptor.entity, in: context.schema.model).evaluate(on: object)
    }

    /// Returns whether the values of a snapshot match the predicate.
    ///
    /// - Parameters:
    ///   - snapshot: the values that the predicate tests.
    ///   - container: a container with the snapshot's entity; its store is not read.
    /// - Returns: The result of a fetch for an object with these values.
    /// - Throws: ``ContextError`` `unknownEntity`, or `ObjectPredicateError` when the predicate does not fit the
    ///   entity, reads other objects or a property that the snapshot does not have.
    public func evaluate(with snapshot: ObjectSnapshot, in container: PersistentContainer) throws -> Bool {
        let predicate = container.resolvingNow(self)
        return try predicate.evaluate(onValuesOf: snapshot, in: container.model)
    }

    /// Returns whether the values of a typed snapshot match the predicate.
    ///
    /// A derived attribute is not among the values that a typed snapshot writes. To-one relationships lead to the
    /// objects in the container's store.
    ///
    /// - Parameters:
    ///   - snapshot: the values that the predicate tests.
    ///   - container: a container with the snapshot's entity.
    /// - Returns: The result of a fetch for an object with these values.
    /// - Throws: ``ContextError`` when the entity is unknown or of another class, or `ObjectPredicateError`, as with an
    ///   ``ObjectSnapshot``.
    public func evaluate<Snapshot: TypedSnapshot>(
        with snapshot: Snapshot,
        in container: PersistentContainer
    ) throws -> Bool {
        try evaluate(with: try ObjectSnapshot(valuesOf: snapshot, in: container.home), in: container)
    }

    /// Returns whether the values of a snapshot match the predicate, without a container.
    ///
    /// The predicate must not contain `now()`.
    ///
    /// - Parameters:
    ///   - snapshot: the values that the predicate tests.
    ///   - model: a model with the snapshot's entity.
    /// - Returns: The result of a fetch for an object with these values.
    /// - Throws: ``ContextError`` `unknownEntity`, or `ObjectPredicateError`, as with a container.
    public func evaluate(with snapshot: ObjectSnapshot, in model: Model) throws -> Bool {
        guard resolvingNow(.epoch) == self else {
            throw ObjectPredicateError(
                "a model has no clock: call evaluate(with:in:) with a container instead of the model",
                keyPath: "now()"
            )
        }
        return try evaluate(onValuesOf: snapshot, in: model)
    }

    private func evaluate(onValuesOf snapshot: ObjectSnapshot, in model: Model) throws -> Bool {
        guard let entity = model.entity(named: snapshot.id.entity) else {
            throw ContextError.unknownEntity(snapshot.id.entity)
        }
        let bound = try bind(to: entity, in: model)
        for path in bound.paths {
            guard let propertyIndex = path.ownIndex else {
                throw ObjectPredicateError("a snapshot has no other objects to lead to", keyPath: path.text)
            }
            guard entity.properties.indices.contains(propertyIndex) else { continue }
            guard snapshot.values[entity.properties[propertyIndex].name] != nil else {
                throw ObjectPredicateError("the snapshot does not have the property", keyPath: path.text)
            }
        }
        return bound.evaluate(on: SnapshotSubject(snapshot: snapshot, entity: entity))
    }
}

struct SnapshotSubject: PredicateSubject {
    typealias Related = SnapshotSubject

    let snapshot: ObjectSnapshot
    let entity: Entity

    var predicateID: UniqueID { snapshot.id.uniqueID }

    var predicateEntity: String { snapshot.id.entity }

    func predicateValue(propertyIndex: Int) -> PropertyValue {
        entity.properties.indices.contains(propertyIndex) ? snapshot[entity.properties[propertyIndex].name] : .null
    }

    func predicateTarget(propertyIndex: Int) -> SnapshotSubject? { nil }

    func predicateTargets(propertyIndex: Int) -> [SnapshotSubject] { [] }
}
