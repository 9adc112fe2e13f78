public import TributaryChanges
import TributaryModel
import TributaryStore

/// One result of ``ManagedObjectContext/fetchDictionaries(_:)``: `Sendable` values by name.
///
/// ```swift
/// let total = group["total"]                       // a PropertyValue
/// let salary: Double? = group.value("total")       // as a Swift type
/// let department = group.objectID("department")    // of a to-one relationship
/// ```
public struct FetchedValues: Sendable, Hashable {
    /// The values by name; null for a missing value.
    public let values: [String: PropertyValue]
    private let ids: [String: ManagedObjectID]

    init(_ values: [String: PropertyValue], ids: [String: ManagedObjectID]) {
        self.values = values
        self.ids = ids
    }

    /// Returns the value of a name, or null when it is missing.
    public subscript(name: String) -> PropertyValue { values[name] ?? .null }

    /// Returns the value of a name as a Swift type, or nil when it is missing or of another type.
    public func value<Value: FieldValue>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        let value = self[name]
        return value.isNull ? nil : Value(fieldValue: value)
    }

    /// Returns the ID of a to-one relationship's target or of `SELF`.
    ///
    /// Its entity is the one that the model names.
    public func objectID(_ name: String) -> ManagedObjectID? { ids[name] }
}

extension ContextHome {
    func named(_ results: [[PropertyValue]], _ plan: DictionaryPlan) -> [FetchedValues] {
        let destinations = plan.columns.map { column -> EntityDescriptor? in
            guard column.type == nil else { return nil }
            if case .reference(_, let relationship, _) = column.path.terminal {
                return schema.descriptor(named: relationship.destination)
            }
            return schema.descriptor(named: column.path.entity.name)
        }
        return results.map { result in
            var values: [String: PropertyValue] = [:]
            var ids: [String: ManagedObjectID] = [:]
            for (index, column) in plan.columns.enumerated() {
                values[column.name] = store.readable(result[index])
                if let id = result[index].referencedID { ids[column.name] = destinations[index]?.objectID(id) }
            }
            return FetchedValues(values, ids: ids)
        }
    }
}
