public import TributaryChanges
public import TributaryModel
import TributaryStore

/// Reads and writes objects during a migration.
///
/// It is valid only inside the stage that receives it. Its changes are exported to other writers like all other
/// changes; validation and delete rules do not run.
public final class MigrationEditor {
    private let edit: MigrationEdit

    init(_ edit: MigrationEdit) {
        self.edit = edit
    }

    /// The version that the store is at.
    public var model: Model { edit.model }

    /// Returns the visible objects of an entity and its sub-entities, including the changes written so far.
    ///
    /// - Parameters:
    ///   - entity: the entity's name in this version.
    ///   - predicate: the condition that the objects match, in the predicate language; nil for all.
    /// - Returns: The values of the objects, in the order of their IDs.
    /// - Throws: ``ContextError`` when the entity does not exist or the store cannot be read.
    public func objects(_ entity: String, where predicate: ObjectPredicate? = nil) throws -> [ObjectSnapshot] {
        guard let found = model.entity(named: entity) else { throw ContextError.unknownEntity(entity) }
        try edit.flush()
        return try ContextError.wrapping {
            try edit.reader.rows(FetchQuery(entity: found, predicate: predicate)).map {
                $0.snapshot(edit.reader.readable)
            }
        }
    }

    /// Returns the old value of a property that the newer version replaces or lacks, by its old name.
    ///
    /// - Returns: nil when no value was kept. The type follows from the value as the log writes it: whole numbers,
    ///   numbers, booleans and strings; UUIDs and decimals are strings. An attribute that was a date in the older
    ///   version is returned as a date.
    public func formerValue(of property: String, for id: ManagedObjectID) throws -> PropertyValue? {
        let former = try edit.former(property, of: id.uniqueID)
        if let former, former.type == .date, let date = AttributeType.date.scalarValue(from: former.value) {
            return date
        }
        return switch former?.value {
        case nil: nil
        case .null?, .array?, .object?: .null
        case .boolean(let value)?: .boolean(value)
        case .integer(let value)?: .integer(value)
        case .double(let value)?: .double(value)
        case .number(let text)?, .unrepresentable(let text)?:
            AttributeType.double.scalarValue(from: .number(text)) ?? .null
        case .string(let text)?: .string(text)
        }
    }

    /// Writes attributes and to-one relationships of an object; a counter changes by the difference from its present value.
    public func update(_ id: ManagedObjectID, _ values: [String: PropertyValue]) throws {
        try edit.add(Change(entity: id.entity, id: id.uniqueID, operation: .update(updates(values, id.entity))))
    }

    /// Inserts an object; a property that `values` omits has the model's default.
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
        let writes = values.sorted { $0.key < $1.key }.compactMap { name, value -> PropertyWrite? in
            guard let counter = counter(name, entity), value != .null else {
                return PropertyWrite(name: name, value: value.json)
            }
            return counter.increment(by: CounterTotals.amount(from: counter.defaultValue, to: value))
        }
        try edit.add(Change(entity: entity, id: id.uniqueID, operation: .insert(writes)))
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

    private func updates(_ values: [String: PropertyValue], _ entity: String) throws -> [PropertyWrite] {
        // The store takes the difference from the value that it has.
        if values.keys.contains(where: { counter($0, entity) != nil }) { try edit.flush() }
        return values.sorted { $0.key < $1.key }.map { PropertyWrite(name: $0, value: $1.json) }
    }

    private func counter(_ name: String, _ entity: String) -> Attribute? {
        let attribute = model.entity(named: entity)?.property(named: name)?.attribute
        return attribute?.mergeRule == .counter ? attribute : nil
    }
}
