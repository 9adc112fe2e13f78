public import TributaryModel

/// A typed key that can be compared: an ``AttributeKey``, or a ``QuantifiedKey`` behind `any`, `all` or `none`.
public protocol ComparableKey<Value>: Sendable {
    /// The type of the attribute; optional when the attribute is optional.
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

    /// Returns a predicate that the key's value equals `value`; nil, for an optional attribute, tests for a missing
    /// value.
    public static func == (key: Self, value: Value) -> ObjectPredicate {
        key.comparison(.equal, .constant(value.fieldValue))
    }

    /// Returns a predicate that the key's value differs from `value`; nil, for an optional attribute, tests for a
    /// value.
    ///
    /// Without a value, `key != 5` is false.
    public static func != (key: Self, value: Value) -> ObjectPredicate {
        key.comparison(.notEqual, .constant(value.fieldValue))
    }

    /// Whether the value is equal to another property's; false where a value is missing.
    public static func == <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.equal, other.expression)
    }

    /// Whether the value differs from another property's; false where a value is missing.
    public static func != <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.notEqual, other.expression)
    }

    /// Whether the value is one of `values`; nil equals nothing.
    public func `in`(_ values: some Sequence<Value>) -> ObjectPredicate {
        comparison(.isIn, .list(values.map { .constant($0.fieldValue) }))
    }
}

extension ComparableKey where Value.Present: OrderedFieldValue {
    /// Whether the value is less.
    public static func < (key: Self, value: Value.Present) -> ObjectPredicate {
        key.comparison(.less, .constant(value.fieldValue))
    }

    /// Whether the value is less or equal.
    public static func <= (key: Self, value: Value.Present) -> ObjectPredicate {
        key.comparison(.lessOrEqual, .constant(value.fieldValue))
    }

    /// Whether the value is greater.
    public static func > (key: Self, value: Value.Present) -> ObjectPredicate {
        key.comparison(.greater, .constant(value.fieldValue))
    }

    /// Whether the value is greater or equal.
    public static func >= (key: Self, value: Value.Present) -> ObjectPredicate {
        key.comparison(.greaterOrEqual, .constant(value.fieldValue))
    }

    /// Whether the value is less than another property's.
    public static func < <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.less, other.expression)
    }

    /// Whether the value is less than another property's, or equal.
    public static func <= <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.lessOrEqual, other.expression)
    }

    /// Whether the value is greater than another property's.
    public static func > <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.greater, other.expression)
    }

    /// Whether the value is greater than another property's, or equal.
    public static func >= <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.greaterOrEqual, other.expression)
    }

    /// Whether the value lies between the two, both included.
    public func between(_ low: Value.Present, _ high: Value.Present) -> ObjectPredicate {
        comparison(.between, .list([.constant(low.fieldValue), .constant(high.fieldValue)]))
    }
}

extension ComparableKey where Value.Present == String {
    /// Whether the string is this one, under the options.
    public func equals(_ text: String, _ options: TextOptions) -> ObjectPredicate {
        comparison(.equal, .constant(.string(text)), options)
    }

    /// Whether the string is one of `texts`, under the options.
    public func `in`(_ texts: some Sequence<String>, _ options: TextOptions) -> ObjectPredicate {
        comparison(.isIn, .list(texts.map { .constant(.string($0)) }), options)
    }

    /// Whether the string begins with the text.
    public func beginsWith(_ text: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.beginsWith, .constant(.string(text)), options)
    }

    /// Whether the string ends with the text.
    public func endsWith(_ text: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.endsWith, .constant(.string(text)), options)
    }

    /// Whether the string contains the text.
    public func contains(_ text: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.contains, .constant(.string(text)), options)
    }

    /// Whether the string fits a pattern: `*` for any number of Unicode scalars, `?` for a single scalar.
    public func like(_ pattern: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.like, .constant(.string(pattern)), options)
    }

    /// Whether the whole string fits a regular expression of ICU.
    public func matches(_ pattern: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.matches, .constant(.string(pattern)), options)
    }
}
