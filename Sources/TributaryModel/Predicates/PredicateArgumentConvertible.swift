import TributaryChanges

/// A Swift value that can stand for `%@`, `%K`, `%d` or `%f` in the text of a predicate.
///
/// Numbers of every kind, booleans, strings, dates, UUIDs, URLs and data, object IDs and objects are; so are arrays and
/// sets of them, as the list of `IN` or the bounds of `BETWEEN`, and optionals, as NULL where there is nothing:
///
/// ```swift
/// try ObjectPredicate(parsing: "age > %d AND name IN %@", age, names)
/// ```
public protocol PredicateArgumentConvertible {
    /// The value as an argument.
    var predicateArgument: PredicateArgument { get }
}

extension PredicateArgument: PredicateArgumentConvertible {
    /// The argument itself.
    public var predicateArgument: PredicateArgument { self }

    /// A value of Swift's as an argument.
    public init(_ value: some PredicateArgumentConvertible) {
        self = value.predicateArgument
    }
}

extension Array: PredicateArgumentConvertible where Element: PredicateArgumentConvertible {
    /// The values of `IN`, or the bounds of `BETWEEN`.
    public var predicateArgument: PredicateArgument { .list(flatMap(\.predicateArgument.values)) }
}

extension Set: PredicateArgumentConvertible where Element: PredicateArgumentConvertible {
    /// The values of `IN`.
    public var predicateArgument: PredicateArgument { .list(flatMap(\.predicateArgument.values)) }
}

extension Optional: PredicateArgumentConvertible where Wrapped: PredicateArgumentConvertible {
    /// The value, NULL when there is none.
    public var predicateArgument: PredicateArgument { self?.predicateArgument ?? .value(.null) }
}

extension PredicateArgument {
    /// The argument's values: those of a list, or the only one.
    fileprivate var values: [PropertyValue] {
        switch self {
        case .value(let value): [value]
        case .list(let values): values
        }
    }
}
