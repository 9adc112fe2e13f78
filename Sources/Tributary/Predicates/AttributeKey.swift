public import TributaryModel

/// The typed key of one value: an attribute, also through to-one relationships, or a count.
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

    init(path: [String]) {
        self.path = path
    }

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
    /// The key has no value where the composite has none. A computed property of the composite's Swift type is no
    /// member: a predicate with it is refused when it is used.
    public subscript<Member: FieldValue>(
        dynamicMember path: KeyPath<Value.Present, Member>
    ) -> AttributeKey<Root, Member> {
        AttributeKey<Root, Member>(path: self.path + [CompositeProbe.name(of: path) ?? "\(path)"])
    }
}
