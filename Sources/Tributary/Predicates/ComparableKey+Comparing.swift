public import TributaryModel

extension ComparableKey {
    /// Returns a predicate that the value equals this one; nil, for an optional attribute, tests for a missing value.
    public static func == (key: Self, value: Value) -> ObjectPredicate {
        key.comparison(.equal, .constant(value.fieldValue))
    }

    /// Returns a predicate that the value differs from this one; nil, for an optional attribute, tests for a value.
    ///
    /// Without a value, `key != 5` is false.
    public static func != (key: Self, value: Value) -> ObjectPredicate {
        key.comparison(.notEqual, .constant(value.fieldValue))
    }

    /// Whether the value is equal to another property's; false where one of them has none.
    public static func == <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.equal, other.expression)
    }

    /// Whether the value differs from another property's; false where one of them has none.
    public static func != <Other: ComparableKey>(key: Self, other: Other) -> ObjectPredicate
    where Other.Value.Present == Value.Present {
        key.comparison(.notEqual, other.expression)
    }

    /// Whether the value is one of those; nil equals nothing.
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
