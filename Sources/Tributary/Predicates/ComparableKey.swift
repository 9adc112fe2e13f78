public import TributaryModel

/// A typed key that can be compared: an ``AttributeKey``, or a ``QuantifiedKey`` behind `any`, `all` or `none`.
public protocol ComparableKey<Value>: Sendable {
    /// The type of the attribute; optional when the attribute is.
    associatedtype Value: FieldValue
    /// The expression of the key in a predicate.
    var expression: ObjectPredicate.Expression { get }
    /// The objects at the end of a to-many path that must match.
    var quantifier: ObjectPredicate.Quantifier { get }
}

extension ComparableKey {
    func comparison(
        _ operation: ObjectPredicate.Operator,
        _ right: ObjectPredicate.Expression,
        _ options: TextOptions = []
    ) -> ObjectPredicate {
        .comparison(
            expression,
            operation,
            right,
            caseInsensitive: options.contains(.caseInsensitive),
            diacriticInsensitive: options.contains(.diacriticInsensitive),
            quantifier: quantifier
        )
    }
}
