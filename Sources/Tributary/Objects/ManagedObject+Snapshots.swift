import Synchronization
import TributaryChanges
import TributaryModel

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
        return ObjectSnapshot(id: objectID, values: result)
    }

    /// Returns the object's values as the given type, or nil when that is the snapshot of another class.
    public func snapshot<Snapshot: TypedSnapshot>(as type: Snapshot.Type) -> Snapshot? {
        (self as? Snapshot.Object).map(Snapshot.init)
    }

    /// Sets the values of a snapshot of any object; derived attributes keep their values.
    ///
    /// - Throws: ``ContextError`` when the entity has no property of a name, or a value does not fit. The object is
    ///   unchanged then.
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
    /// - Throws: ``ContextError`` `wrongKind` when it is the snapshot of another class.
    public func update<Snapshot: TypedSnapshot>(from snapshot: Snapshot) throws(ContextError) {
        guard let object = self as? Snapshot.Object else {
            throw ContextError.wrongKind(
                entity: descriptor.entity.name,
                property: "class",
                expected: "\(Snapshot.Object.self)"
            )
        }
        snapshot.write(to: object)
    }

    /// Throws the error that ``setValue(_:forKey:)`` would throw, before any value is set.
    private func check(_ value: PropertyValue, for property: Property) throws(ContextError) {
        let entity = descriptor.entity.name
        func wrongType(_ expected: String) -> ContextError {
            .wrongType(entity: entity, property: property.name, expected: expected, found: value.kindName)
        }
        switch property {
        case .attribute(let attribute):
            guard attribute.settable(value) != nil else { throw wrongType(attribute.type.rawValue) }
        case .relationship(let relationship, _):
            guard !relationship.isToMany else {
                throw .wrongKind(entity: entity, property: property.name, expected: "an attribute or to-one")
            }
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
            try check(value, for: property)
            result.append((key, value))
        }
        return result
    }

    // MARK: Updates

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
        let reader = UpdateReader()
        continuation.onTermination = { _ in reader.leave() }
        // Releasing the observer ends the stream, as the context does when it closes.
        let ending = Ending { continuation.finish() }
        var observer: ObserverToken?
        // Objects hold their context, so the observer must not make the context hold the object.
        observer = context.observeChanges { [weak self, weak context] notice in
            guard !reader.isGone, let self, self.managedObjectContext === context else {
                observer?.cancel()
                return
            }
            let isTouched =
                notice.updated.contains(id) || notice.inserted.contains(id) || notice.deleted.contains(id)
                || notice.merged.touches(id) || notice.isEverything
            guard isTouched else { return }
            let isGone = self.state == .gone || self.state == .deleted
            withExtendedLifetime(ending) {
                _ = continuation.yield(isGone ? .deleted(id) : .changed(self.snapshot()))
            }
        }
        return stream
    }

    private final class UpdateReader: Sendable {
        private let state = Atomic(false)

        var isGone: Bool { state.load(ordering: .relaxed) }

        func leave() { state.store(true, ordering: .relaxed) }
    }
}
