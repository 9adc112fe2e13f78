public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Returns the object of a class that has the given values, or inserts a new object with them.
    ///
    /// ```swift
    /// let product = try context.upsert(Product.self, by: (Product.code, "A1"))
    /// ```
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - identity: Where the identifier of a new object comes from.
    ///   - key: The attributes and the values that they have.
    /// - Returns: The object; a save writes it when it is new.
    /// - Throws: ``ContextError`` when the class has no such attribute, or a new object cannot be made.
    public func upsert<Object: ManagedObject, each Value: FieldValue>(
        _ type: Object.Type,
        identity: UpsertIdentity = .new,
        by key: repeat (Field<each Value>, each Value)
    ) throws(ContextError) -> Object {
        var values: [String: PropertyValue] = [:]
        for (field, value) in repeat each key { values[field.name] = value.fieldValue }
        return try upsert(type, identity: identity, by: values)
    }

    /// Returns the object of a class that has the given values, or inserts a new object with them.
    ///
    /// ```swift
    /// let product = try context.upsert(Product.self, by: ["code": .string("A1")])
    /// ```
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - identity: Where the identifier of a new object comes from.
    ///   - key: The values by the names of properties.
    /// - Returns: The object; a save writes it when it is new.
    /// - Throws: ``ContextError`` when the entity lacks one of the properties, a value does not fit, or a new object
    ///   cannot be made; then there is no new object.
    public func upsert<Object: ManagedObject>(
        _ type: Object.Type,
        identity: UpsertIdentity = .new,
        by key: [String: PropertyValue]
    ) throws(ContextError) -> Object {
        checkConfinement()
        processChanges()
        let descriptor = try descriptor(named: type.entityName)
        try schema.check(type, isClassOf: descriptor)
        var parts: [(propertyIndex: Int, value: PropertyValue)] = []
        for (name, value) in key.sorted(by: { $0.key < $1.key }) {
            guard let propertyIndex = descriptor.propertyIndex(named: name) else {
                throw ContextError.unknownProperty(entity: descriptor.entity.name, property: name)
            }
            parts.append((propertyIndex, value))
        }
        if !parts.contains(where: { $0.value.isNull }),
            let found = try object(with: parts, descriptor) as? Object
        {
            return found
        }
        let id = identity == .key ? try unusedID(of: key, descriptor) : nil
        guard let object = try insert(descriptor, id: id) as? Object else {
            throw ContextError.unknownEntity(descriptor.entity.name)
        }
        do {
            for (name, value) in key { try object.setValue(value, forKey: name) }
        } catch {
            delete(object)
            throw error
        }
        return object
    }

    private func unusedID(of key: [String: PropertyValue], _ descriptor: EntityDescriptor) throws(ContextError)
        -> UniqueID?
    {
        let entity = descriptor.entity
        guard let id = UniqueID(entity: entity.name, key: key) else {
            let wrong = key.sorted { $0.key < $1.key }.first { !$0.value.isKeyPart }
            throw ContextError.wrongType(
                entity: entity.name,
                property: wrong?.key ?? "",
                expected: PropertyValue.keyParts,
                found: (wrong?.value ?? .null).kindName
            )
        }
        let known = registry.object(id, rootIndex: descriptor.rootIndex)
        if known?.state == .inserted || known?.state == .updated { return nil }
        if known?.state == .deleted { return id }
        if try reader.row(id, descriptor) != nil { return nil }
        // A row may be hidden, because an older object has the same unique key; its ID is then taken as well.
        return try reader.read { try $0.liveRow(id, rootEntity: entity.root) } == nil ? id : nil
    }

    private func object(
        with key: [(propertyIndex: Int, value: PropertyValue)],
        _ descriptor: EntityDescriptor
    ) throws(ContextError) -> ManagedObject? {
        let scope = DirtyKeyIndex.Scope(rootIndex: descriptor.rootIndex, propertyIndexes: key.map(\.propertyIndex))
        let values = key.map(\.value)
        let own = pending.objects(values, in: scope, version: reader.shownVersion).first { object in
            object.state != .deleted && object.descriptor.entity.isKind(of: descriptor.entity.name)
                && key.allSatisfy { object.read($0.propertyIndex) == $0.value }
        }
        if let own { return own }
        for other in above?.unsavedKeys(of: values, in: scope) ?? [] {
            guard let row = above?.unsaved(other)?.row, row.entity.isKind(of: descriptor.entity.name),
                key.allSatisfy({ row.values[$0.propertyIndex] == $0.value }), isUnchanged(row.id)
            else { continue }
            return object(for: row)
        }
        let rows = try reader.read { try $0.holders(of: key, entity: descriptor.entity) }
        return rows.first { row in
            isUnchanged(row.id)
                && above?.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: row.uniqueID)) == nil
        }.map { object(for: $0) }
    }

    private func isUnchanged(_ id: ManagedObjectID) -> Bool { registeredObject(for: id)?.isDirty != true }
}

/// Where the identifier of an object comes from that an upsert inserts.
public enum UpsertIdentity: Sendable {
    /// A new identifier; when two machines insert the same key, a uniqueness constraint hides the younger object.
    case new
    /// The identifier that `UniqueID.init(entity:key:)` derives: machines that insert the same key insert one object.
    ///
    /// It is for keys of strings, integers and booleans that do not change. While a live object with another key has
    /// the identifier, the new object gets a new identifier.
    ///
    /// When the object has been saved elsewhere between the upsert and the save, the save throws ``ContextError``
    /// `duplicateID`: roll back, and upsert again.
    case key
}
