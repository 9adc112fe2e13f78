import TributaryModel

/// The keys of the objects at the end of a to-many path, behind `any`, `all` or `none`.
///
/// A path may contain further relationships, to-many ones too: the comparison then applies to the objects at its end.
@dynamicMemberLookup
public struct QuantifiedKeys<Root, Target: ManagedObject>: Sendable {
    let path: [String]
    let quantifier: ObjectPredicate.Quantifier

    /// An attribute of the objects there.
    public subscript<Value>(dynamicMember field: KeyPath<Target.Type, Field<Value>>) -> QuantifiedKey<Root, Value> {
        QuantifiedKey(path: path + [Target.self[keyPath: field].name], quantifier: quantifier)
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
