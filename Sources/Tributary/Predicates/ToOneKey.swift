public import TributaryChanges
public import TributaryModel

/// The typed key of a to-one relationship, for comparisons with objects and for the properties of its target.
///
/// ```swift
/// Employee.keys.department == sales.objectID
/// Employee.keys.department == nil
/// Employee.keys.department.title == "R&D"
/// ```
@dynamicMemberLookup
public struct ToOneKey<Root, Target: ManagedObject>: Sendable {
    /// The names in the path, the relationship's last.
    public let path: [String]

    init(path: [String]) {
        self.path = path
    }

    /// The key of an attribute of the target.
    public subscript<Value>(dynamicMember field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value> {
        AttributeKey(path: path + [Target.self[keyPath: field].name])
    }

    /// The key of a to-one relationship of the target.
    public subscript<Next>(dynamicMember relationship: KeyPath<Target.Type, ToOne<Next>>) -> ToOneKey<Root, Next> {
        ToOneKey<Root, Next>(path: path + [Target.self[keyPath: relationship].name])
    }

    /// The key of a to-many relationship of the target.
    public subscript<Next>(dynamicMember relationship: KeyPath<Target.Type, ToMany<Next>>) -> ToManyKey<Root, Next> {
        ToManyKey<Root, Next>(path: path + [Target.self[keyPath: relationship].name])
    }

    /// Whether there is an object at the other end.
    public var isPresent: ObjectPredicate { self != nil }

    /// Whether the object is one of those.
    public func `in`(_ ids: some Sequence<ManagedObjectID>) -> ObjectPredicate {
        comparison(.isIn, .list(ids.map { .constant(.reference($0.uniqueID)) }))
    }

    /// Whether the object is one of those; their IDs are kept.
    public func `in`(_ objects: some Sequence<Target>) -> ObjectPredicate { self.in(objects.map(\.objectID)) }

    /// Whether the object there is this one; nil for none.
    public static func == (key: ToOneKey, id: ManagedObjectID?) -> ObjectPredicate {
        key.comparison(.equal, .constant(id.map { .reference($0.uniqueID) } ?? .null))
    }

    /// Whether there is another object there; with nil, whether there is one.
    public static func != (key: ToOneKey, id: ManagedObjectID?) -> ObjectPredicate {
        key.comparison(.notEqual, .constant(id.map { .reference($0.uniqueID) } ?? .null))
    }

    /// Whether the object there is this one; its ID is kept.
    public static func == (key: ToOneKey, object: Target) -> ObjectPredicate { key == object.objectID }

    /// Whether there is another object there; its ID is kept.
    public static func != (key: ToOneKey, object: Target) -> ObjectPredicate { key != object.objectID }

    private func comparison(
        _ operation: ObjectPredicate.Operator,
        _ right: ObjectPredicate.Expression
    ) -> ObjectPredicate {
        .comparison(.keyPath(path), operation, right)
    }
}
