public import TributaryChanges
public import TributaryModel

/// The typed key of a single value: an attribute, also through to-one relationships, or a count.
///
/// ```swift
/// Employee.keys.salary > 1000
/// Employee.keys.department.title.beginsWith("r", .caseInsensitive)
/// Employee.keys.projects.count >= 2
/// Employee.keys.salary == nil
/// Employee.keys.address.street == "High Street"
/// ```
///
/// The members of a composite attribute have keys of their own.
///
/// A key through a to-one relationship has no value where the relationship is empty; see `ObjectPredicate`.
@dynamicMemberLookup
public struct AttributeKey<Root, Value: FieldValue>: ComparableKey {
    /// The names in the path, the attribute's last; a count ends with `@count`.
    public let path: [String]

    /// The key path in a predicate.
    public var expression: ObjectPredicate.Expression { .keyPath(path) }
    /// The quantifier of a single value: none.
    public var quantifier: ObjectPredicate.Quantifier { .direct }

    /// Sorts by this key, least values first; nil comes before every value.
    public var ascending: SortKey { SortKey(path.joined(separator: ".")) }
    /// Sorts by this key, greatest values first.
    public var descending: SortKey { SortKey(path.joined(separator: "."), ascending: false) }
}

extension AttributeKey where Value.Present: CompositeValue {
    /// A member of a composite attribute: `Employee.keys.address.street`.
    ///
    /// The key has no value where the composite has none. A computed property of the composite's Swift type is not a
    /// member: a predicate with it is refused when it is used.
    public subscript<Member: FieldValue>(
        dynamicMember path: KeyPath<Value.Present, Member>
    ) -> AttributeKey<Root, Member> {
        AttributeKey<Root, Member>(path: self.path + [CompositeProbe.name(of: path) ?? "\(path)"])
    }
}

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

    /// Whether the object has one of `ids`.
    public func `in`(_ ids: some Sequence<ManagedObjectID>) -> ObjectPredicate {
        comparison(.isIn, .list(ids.map { .constant(.reference($0.uniqueID)) }))
    }

    /// Whether the object is one of `objects`; their IDs are kept.
    public func `in`(_ objects: some Sequence<Target>) -> ObjectPredicate { self.in(objects.map(\.objectID)) }

    /// Whether the target has this ID; nil tests for an empty relationship.
    public static func == (key: ToOneKey, id: ManagedObjectID?) -> ObjectPredicate {
        key.comparison(.equal, .constant(id.map { .reference($0.uniqueID) } ?? .null))
    }

    /// Whether the target has another ID; nil tests for any target.
    public static func != (key: ToOneKey, id: ManagedObjectID?) -> ObjectPredicate {
        key.comparison(.notEqual, .constant(id.map { .reference($0.uniqueID) } ?? .null))
    }

    /// Whether the target is this object; the predicate keeps its ID.
    public static func == (key: ToOneKey, object: Target) -> ObjectPredicate { key == object.objectID }

    /// Whether the target is another object; the predicate keeps the ID.
    public static func != (key: ToOneKey, object: Target) -> ObjectPredicate { key != object.objectID }

    private func comparison(
        _ operation: ObjectPredicate.Operator,
        _ right: ObjectPredicate.Expression
    ) -> ObjectPredicate {
        .comparison(.keyPath(path), operation, right)
    }
}

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

    /// The number of objects; 0 also when a to-one relationship in the path is empty.
    public var count: AttributeKey<Root, Int> { AttributeKey(path: path + ["@count"]) }

    /// The sum of an attribute over the objects; 0 without values.
    public func sum<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value> {
        aggregate("@sum", field)
    }

    /// The least value of an attribute; no value without objects that have the attribute.
    public func min<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value.Present?> {
        aggregate("@min", field)
    }

    /// The greatest value of an attribute; no value without objects that have the attribute.
    public func max<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Value.Present?> {
        aggregate("@max", field)
    }

    /// The average of an attribute; no value without objects that have the attribute.
    public func average<Value>(_ field: KeyPath<Target.Type, Field<Value>>) -> AttributeKey<Root, Double?> {
        aggregate("@avg", field)
    }

    private func aggregate<Value, Result>(
        _ name: String,
        _ field: KeyPath<Target.Type, Field<Value>>
    ) -> AttributeKey<Root, Result> {
        AttributeKey(path: path + [name, Target.self[keyPath: field].name])
    }

    /// The keys of the objects; at least one object must match.
    public var any: QuantifiedKeys<Root, Target> { QuantifiedKeys(path: path, quantifier: .any) }
    /// The keys of the objects; all objects must match, so a comparison is true without objects.
    public var all: QuantifiedKeys<Root, Target> { QuantifiedKeys(path: path, quantifier: .all) }
    /// The keys of the objects; no object may match.
    public var none: QuantifiedKeys<Root, Target> { QuantifiedKeys(path: path, quantifier: .none) }

    /// Returns a predicate that the relationship contains the object.
    public func contains(_ id: ManagedObjectID) -> ObjectPredicate {
        .comparison(.keyPath(path), .equal, .constant(.reference(id.uniqueID)), quantifier: .any)
    }

    /// Returns a predicate that the relationship contains the object; the predicate keeps its ID.
    public func contains(_ object: Target) -> ObjectPredicate { contains(object.objectID) }
}

/// The typed key of the values at the end of a to-many path, behind `any`, `all` or `none`.
///
/// ```swift
/// Employee.keys.projects.any.title == "Till"
/// Department.keys.employees.all.salary > 1000
/// ```
@dynamicMemberLookup
public struct QuantifiedKey<Root, Value: FieldValue>: ComparableKey {
    /// The key path in a predicate.
    public let expression: ObjectPredicate.Expression
    /// Which of the values must fulfil the comparison.
    public let quantifier: ObjectPredicate.Quantifier
}

extension QuantifiedKey where Value.Present: CompositeValue {
    /// A member of a composite attribute, as in ``AttributeKey``.
    public subscript<Member: FieldValue>(
        dynamicMember path: KeyPath<Value.Present, Member>
    ) -> QuantifiedKey<Root, Member> {
        let name = CompositeProbe.name(of: path) ?? "\(path)"
        return QuantifiedKey<Root, Member>(expression: expression.appending(name), quantifier: quantifier)
    }
}

/// The keys of the objects at the end of a to-many path, behind `any`, `all` or `none`.
///
/// A path may contain further relationships, to-many ones too: the comparison then applies to the objects at its end.
@dynamicMemberLookup
public struct QuantifiedKeys<Root, Target: ManagedObject>: Sendable {
    let path: [String]
    let quantifier: ObjectPredicate.Quantifier

    /// An attribute of the objects there.
    public subscript<Value>(dynamicMember field: KeyPath<Target.Type, Field<Value>>) -> QuantifiedKey<Root, Value> {
        QuantifiedKey(expression: .keyPath(path + [Target.self[keyPath: field].name]), quantifier: quantifier)
    }

    /// The objects that a to-one relationship leads to from there.
    public subscript<Next>(
        dynamicMember relationship: KeyPath<Target.Type, ToOne<Next>>
    ) -> QuantifiedKeys<Root, Next> {
        QuantifiedKeys<Root, Next>(path: path + [Target.self[keyPath: relationship].name], quantifier: quantifier)
    }

    /// The objects that a to-many relationship leads to from there.
    public subscript<Next>(
        dynamicMember relationship: KeyPath<Target.Type, ToMany<Next>>
    ) -> QuantifiedKeys<Root, Next> {
        QuantifiedKeys<Root, Next>(path: path + [Target.self[keyPath: relationship].name], quantifier: quantifier)
    }
}

/// The options of string comparisons: `[c]`, `[d]` and `[cd]` of the format language.
public struct TextOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Both sides are lower-cased first.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Both sides lose their diacritics first.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// The properties of a class as typed keys for predicates and sort keys.
///
/// Every static ``Field``, ``ToOne`` and ``ToMany`` of the class is a key, under the constant's own name, without
/// further declarations or generated code:
///
/// ```swift
/// final class Employee: ManagedObject {
///     override class var entityName: String { "Employee" }
///     static let name = Field<String>("name")
///     static let salary = Field<Double?>("salary")
///     static let department = ToOne<Department>("department")
///     static let projects = ToMany<Project>("projects")
/// }
///
/// let keys = Employee.keys
/// let rich = keys.salary > 1000 && keys.department.title == "R&D" && !keys.projects.any.title.like("A*")
/// let employees = try context.fetch(Employee.self, predicate: rich, sortKeys: [keys.name.ascending])
/// ```
///
/// An expression with keys is an `ObjectPredicate`, as the format language creates it. A key compared with a value of
/// another type does not compile.
@dynamicMemberLookup
public struct ObjectKeys<Root: AnyObject>: Sendable {
    init() {}

    /// The key of an attribute of the class.
    public subscript<Value>(dynamicMember field: KeyPath<Root.Type, Field<Value>>) -> AttributeKey<Root, Value> {
        AttributeKey(path: [Root.self[keyPath: field].name])
    }

    /// The key of a to-one relationship of the class.
    public subscript<Target>(dynamicMember relationship: KeyPath<Root.Type, ToOne<Target>>) -> ToOneKey<Root, Target> {
        ToOneKey(path: [Root.self[keyPath: relationship].name])
    }

    /// The key of a to-many relationship of the class.
    public subscript<Target>(
        dynamicMember relationship: KeyPath<Root.Type, ToMany<Target>>
    ) -> ToManyKey<Root, Target> {
        ToManyKey(path: [Root.self[keyPath: relationship].name])
    }

    /// The key of the object itself, `SELF` in the format language.
    public var objectID: ToOneKey<Root, ManagedObject> { ToOneKey(path: []) }
}

/// A protocol that gives each subclass of ``ManagedObject`` keys of its own; no other class conforms to it.
public protocol KeyedObject: AnyObject {}

extension KeyedObject {
    /// The typed keys of the class, for predicates and sort keys: `Employee.keys.salary > 1000`.
    ///
    /// They are the ``Field``, ``ToOne`` and ``ToMany`` constants of the class and its superclasses; see
    /// ``ObjectKeys``.
    public static var keys: ObjectKeys<Self> { ObjectKeys() }
}
