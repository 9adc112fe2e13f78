public import TributaryChanges
public import TributaryModel

/// The typed key of a to-many relationship: counted, or compared object by object behind `any`, `all` or `none`.
///
/// ```swift
/// Employee.keys.projects.count >= 2
/// Employee.keys.projects.any.title == "Till"
/// Employee.keys.projects.contains(till.objectID)
/// ```
public struct ToManyKey<Root, Target: ManagedObject>: Sendable {
    /// The names in the path, the relationship's last.
    public let path: [String]

    init(path: [String]) {
        self.path = path
    }

    /// The number of objects; 0 also when a to-one relationship in the path is empty.
    public var count: AttributeKey<Root, Int> { AttributeKey(path: path + ["@count"]) }

    /// The sum of an attribute over the objects; 0 where there is none.
    public func sum<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value> {
        aggregate("@sum", field)
    }

    /// The least value of an attribute; none where there is no object with one.
    public func min<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value.Present?> {
        aggregate("@min", field)
    }

    /// The greatest value of an attribute; none where there is no object with one.
    public func max<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value.Present?> {
        aggregate("@max", field)
    }

    /// The average of an attribute; none where there is no object with a value.
    public func average<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Double?> {
        aggregate("@avg", field)
    }

    private func aggregate<Value, Result>(
        _ name: String,
        _ field: KeyPath<Target.Type, Field<Value>>
    ) -> AttributeKey<Root, Result> {
        AttributeKey(path: path + [name, Target.self[keyPath: field].name])
    }

    /// The keys of the objects, at least one of which must match.
    public var any: QuantifiedKeys<Root, Target> { QuantifiedKeys(path: path, quantifier: .any) }
    /// The keys of the objects, all of which must match; a comparison is true without objects.
    public var all: QuantifiedKeys<Root, Target> { QuantifiedKeys(path: path, quantifier: .all) }
    /// The keys of the objects, none of which may match.
    public var none: QuantifiedKeys<Root, Target> { QuantifiedKeys(path: path, quantifier: .none) }

    /// Returns a predicate that the relationship contains the object.
    public func contains(_ id: ManagedObjectID) -> ObjectPredicate {
        .comparison(.keyPath(path), .equal, .constant(.reference(id.uniqueID)), quantifier: .any)
    }

    /// Returns a predicate that the relationship contains the object; the predicate keeps its ID.
    public func contains(_ object: Target) -> ObjectPredicate { contains(object.objectID) }
}
