public import TributaryChanges
import TributaryModel
import TributaryStore

/// One result of ``ManagedObjectContext/fetchDictionaries(_:)``: values by name, to be handed to any task.
///
/// ```swift
/// let total = group["total"]                       // a PropertyValue
/// let salary: Double? = group.value("total")       // as a Swift type
/// let department = group.objectID("department")    // of a to-one relationship
/// ```
public struct FetchedValues: Sendable, Hashable {
    /// The values; null where there is none.
    public let values: [String: PropertyValue]
    private let ids: [String: ManagedObjectID]

    init(_ values: [String: PropertyValue], ids: [String: ManagedObjectID]) {
        self.values = values
        self.ids = ids
    }

    /// The value of a name; null where there is none.
    public subscript(name: String) -> PropertyValue { values[name] ?? .null }

    /// The value of a name as a Swift type; nil where there is none, or it is of another type.
    public func value<Value: FieldValue>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        let value = self[name]
        return value.isNull ? nil : Value(fieldValue: value)
    }

    /// The object that a to-one relationship leads to, or that `SELF` is; its entity is the one that the model names.
    public func objectID(_ name: String) -> ManagedObjectID? { ids[name] }
}

extension ContextHome {
    /// The results of a plan, by name.
    func named(_ results: [[PropertyValue]], _ plan: DictionaryPlan) -> [FetchedValues] {
        let destinations = plan.columns.map { column -> ObjectKind? in
            guard column.type == nil else { return nil }
            if case .reference(_, let relationship, _) = column.path.terminal {
                return schema.kind(named: relationship.destination)
            }
            return schema.kind(named: column.path.entity.name)
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
