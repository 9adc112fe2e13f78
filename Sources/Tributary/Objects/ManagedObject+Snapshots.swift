import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObject {
    /// Returns the object's attributes and to-one IDs as a value, for other contexts and other processes.
    ///
    /// - Parameter names: the properties to include; all when it is nil. Names that the entity does not have, or that
    ///   are to-many relationships, are ignored.
    /// - Returns: The snapshot.
    public func snapshot(include names: Set<String>? = nil) -> ObjectSnapshot {
        if values.isEmpty { fire() }
        var result: [String: PropertyValue] = [:]
        for (propertyIndex, property) in descriptor.entity.properties.enumerated()
        where names?.contains(property.name) ?? true {
            switch property {
            case .attribute: result[property.name] = wholeValue(propertyIndex)
            case .relationship(let relationship, _):
                guard !relationship.isToMany else { continue }
                result[property.name] = relatedID(propertyIndex).map { .reference($0.uniqueID) } ?? .null
            }
        }
        return ObjectSnapshot(id: objectID, values: result, isTaken: true)
    }

    /// Returns the object's values as the given type, or nil when the type is the snapshot of another class.
    public func snapshot<Snapshot: TypedSnapshot>(as type: Snapshot.Type) -> Snapshot? {
        (self as? Snapshot.Object).map(Snapshot.init)
    }

    /// Sets the values of a snapshot of any object; derived attributes keep their values.
    ///
    /// The counters of an older snapshot of this object change nothing: others may have incremented them since. The
    /// counters of a new object, or of a snapshot that a program has made or taken of another object, are set.
    ///
    /// - Throws: ``ContextError`` when the entity has no property of a name, or a value does not fit. Then the object
    ///   is unchanged.
    public func update(from snapshot: ObjectSnapshot) throws(ContextError) {
        let values = try writableValues(of: snapshot)
        let old = self.snapshot(include: Set(values.map(\.key)))
        do {
            for (key, value) in values { try setValue(value, forKey: key) }
        } catch {
            for (key, value) in old.values { try? setValue(value, forKey: key) }
            throw error
        }
    }

    /// Sets the values of a typed snapshot of any object; derived attributes keep their values.
    ///
    /// - Throws: ``ContextError`` `wrongKind` when it is a snapshot of another class.
    public func update<Snapshot: TypedSnapshot>(from snapshot: Snapshot) throws(ContextError) {
        guard let object = self as? Snapshot.Object else {
            try managedObjectContext?.schema.check(Snapshot.Object.self, isClassOf: descriptor)
            throw ContextError.wrongClass(Snapshot.Object.self, entity: descriptor.entity.name)
        }
        snapshot.write(to: object)
    }

    private func check(_ value: PropertyValue, for property: Property) throws(ContextError) {
        let entity = descriptor.entity.name
        func wrongType(_ expected: String) -> ContextError {
            .wrongType(entity: entity, property: property.name, expected: expected, found: value.kindName)
        }
        switch property {
        case .attribute(let attribute):
            guard attribute.settable(value) != nil else { throw wrongType(attribute.expectation(refusing: value)) }
        case .relationship(let relationship, _):
            guard !relationship.isToMany else { throw .toMany(property.name, entity: entity) }
            switch value {
            case .null, .reference: return
            default: throw wrongType("an object")
            }
        }
    }

    private func writableValues(
        of snapshot: ObjectSnapshot
    ) throws(ContextError) -> [(key: String, value: PropertyValue)] {
        var result: [(key: String, value: PropertyValue)] = []
        for (key, value) in snapshot.values.sorted(by: { $0.key < $1.key }) {
            let property = descriptor.entity.properties[try propertyIndex(named: key)]
            if property.attribute?.derivationExpression != nil { continue }
            if snapshot.isTaken, isCounting(above: snapshot.id), property.attribute?.isCounter == true { continue }
            try check(value, for: property)
            result.append((key, value))
        }
        return result
    }

    /// Returns the object's changes from now on, from its own context and from merges.
    ///
    /// ```swift
    /// for await update in employee.updates() {
    ///     if case .changed(let now) = update { label.text = "\(now["name"])" }
    /// }
    /// ```
    /// A slow reader gets the newest state only. The sequence ends when the object's context is reset or its container
    /// closed; a deletion does not end it, because an undo resurrects the object.
    public func updates() -> AsyncStream<ObjectUpdate> {
        let (stream, continuation) = AsyncStream<ObjectUpdate>.makeStream(bufferingPolicy: .bufferingNewest(1))
        guard let context = managedObjectContext else {
            continuation.finish()
            return stream
        }
        let id = objectID
        // Releasing the observer ends the stream; the context releases it when it closes.
        let ending = Ending { continuation.finish() }
        var observer: ObserverToken?
        // Objects hold their context, so the observer must not make the context hold the object.
        let token = context.observeChanges { [weak self, weak context] notification in
            guard let self, self.managedObjectContext === context else {
                observer?.cancel()
                return
            }
            let isTouched =
                notification.updated.contains(id) || notification.inserted.contains(id)
                || notification.deleted.contains(id)
                || notification.merged.touches(id) || notification.isEverything
            guard isTouched else { return }
            let isGone = self.state == .gone || self.state == .deleted
            withExtendedLifetime(ending) {
                _ = continuation.yield(isGone ? .deleted(id) : .changed(self.snapshot()))
            }
        }
        observer = token
        continuation.onTermination = { _ in token.cancel() }
        return stream
    }
}

extension Row {
    func snapshot(_ whole: (PropertyValue) -> PropertyValue) -> ObjectSnapshot {
        var values: [String: PropertyValue] = [:]
        for (propertyIndex, property) in entity.properties.enumerated() where property.relationship?.isToMany != true {
            values[property.name] = whole(self.values[propertyIndex])
        }
        return ObjectSnapshot(id: id, values: values, isTaken: true)
    }

    func differences(to other: Row) -> Set<String> {
        guard entity.name == other.entity.name else { return Set(entity.properties.map(\.name)) }
        return Set(
            entity.properties.indices.filter { values[$0] != other.values[$0] }.map { entity.properties[$0].name }
        )
    }
}

extension ObjectSnapshot {
    init<Snapshot: TypedSnapshot>(valuesOf snapshot: Snapshot, in home: ContextHome) throws(ContextError) {
        let context = ManagedObjectContext(home: home, mergePolicy: .error)
        defer { context.close() }
        let object = try context.insert(from: snapshot)
        let names = object.descriptor.entity.properties.filter { $0.attribute?.derivationExpression == nil }.map(\.name)
        self = object.snapshot(include: Set(names))
    }
}
