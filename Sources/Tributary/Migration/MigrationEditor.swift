public import TributaryChanges
public import TributaryModel
import TributaryStore

/// Reads and writes objects in the middle of a migration.
///
/// It is valid only inside the stage that it was given to. What it writes is exported to other writers like every other
/// change; validation and delete rules do not run.
public final class MigrationEditor {
    private let edit: MigrationEdit

    init(_ edit: MigrationEdit) {
        self.edit = edit
    }

    /// The version that the store is at.
    public var model: Model { edit.model }

    /// The visible objects of an entity and those below it, what has been written so far included.
    ///
    /// - Parameters:
    ///   - entity: the entity's name in this version.
    ///   - predicate: which ones, in the predicate language; nil for all.
    /// - Returns: their values, in the order of their IDs.
    /// - Throws: ``ContextError`` when there is no such entity or the store cannot be read.
    public func objects(_ entity: String, where predicate: ObjectPredicate? = nil) throws -> [ObjectSnapshot] {
        guard let found = model.entity(named: entity) else { throw ContextError.unknownEntity(entity) }
        try edit.flush()
        do {
            return try edit.reader.rows(FetchQuery(entity: found, predicate: predicate)).map {
                $0.snapshot(edit.reader.readable)
            }
        } catch {
            throw ContextError(error)
        }
    }

    /// The value that a property had which the newer version replaces or does not have, by its old name.
    ///
    /// - Returns: nil when none was put aside. The type is read off the value as the log writes it: whole numbers,
    ///   numbers, booleans and strings; UUIDs and decimals are strings. What the older version had as a date is one.
    public func formerValue(of property: String, for id: ManagedObjectID) throws -> PropertyValue? {
        let former = try edit.former(property, of: id.uniqueID)
        if let former, former.type == .date, let date = AttributeType.date.scalarValue(from: former.value) {
            return date
        }
        return switch former?.value {
        case nil: nil
        case .null?, .array?, .object?, .unrepresentable?: .null
        case .boolean(let value)?: .boolean(value)
        case .integer(let value)?: .integer(value)
        case .double(let value)?: .double(value)
        case .number(let text)?: Double(text).map(PropertyValue.double) ?? .null
        case .string(let text)?: .string(text)
        }
    }

    /// Writes attributes and to-one relationships of an object.
    public func update(_ id: ManagedObjectID, _ values: [String: PropertyValue]) throws {
        try edit.add(Change(entity: id.entity, id: id.uniqueID, operation: .update(writes(values, id.entity))))
    }

    /// Makes an object; what `values` does not name has the model's default.
    @discardableResult
    public func insert(_ entity: String, _ values: [String: PropertyValue]) throws -> ManagedObjectID {
        guard let found = model.entity(named: entity) else { throw ContextError.unknownEntity(entity) }
        let configuration = edit.configuration
        let id = ManagedObjectID(
            store: configuration.name,
            entity: entity,
            rootEntity: found.root,
            uniqueID: configuration.environment.newID()
        )
        var all: [String: PropertyValue] = [:]
        for property in found.properties {
            switch property {
            case .attribute(let attribute) where attribute.isStored && attribute.mergeRule != .counter:
                all[attribute.name] = attribute.defaultValue
            case .relationship(let relationship, .column): all[relationship.name] = .null
            default: break
            }
        }
        all.merge(values) { _, given in given }
        try edit.add(Change(entity: entity, id: id.uniqueID, operation: .insert(writes(all, entity))))
        return id
    }

    /// Deletes an object; no delete rule runs.
    public func delete(_ id: ManagedObjectID) throws {
        try edit.add(Change(entity: id.entity, id: id.uniqueID, operation: .delete))
    }

    /// Adds objects to a to-many relationship.
    public func link(_ id: ManagedObjectID, to relationship: String, _ targets: [ManagedObjectID]) throws {
        let ids = targets.map(\.uniqueID)
        try edit.add(
            Change(entity: id.entity, id: id.uniqueID, operation: .link(to: relationship, ids: ids, positions: nil))
        )
    }

    private func writes(_ values: [String: PropertyValue], _ entity: String) -> [PropertyWrite] {
        values.sorted { $0.key < $1.key }.map { name, value in
            let property = model.entity(named: entity)?.property(named: name)?.attribute
            let isCounter = property?.mergeRule == .counter && value != .null
            return PropertyWrite(name: name, value: isCounter ? .increment(value.json) : value.json)
        }
    }
}

extension JSONValue {
    fileprivate static func increment(_ amount: JSONValue) -> JSONValue {
        .object([JSONMember(key: "increment", value: amount)])
    }
}
