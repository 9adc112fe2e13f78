import TributaryChanges

/// A Swift value that can be given for `%@`, `%K`, `%d` or `%f` in the text of a predicate.
///
/// Numbers of every kind, booleans, strings, dates, UUIDs, URLs, data and object IDs conform. Arrays and sets of them
/// are the list of `IN` or the bounds of `BETWEEN`; an optional without a value is NULL:
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

    /// Converts a Swift value to an argument.
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
    /// The value, or NULL when there is none.
    public var predicateArgument: PredicateArgument { self?.predicateArgument ?? .value(.null) }
}

extension PredicateArgument {
    fileprivate var values: [PropertyValue] {
        switch self {
        case .value(let value): [value]
        case .list(let values): values
        }
    }
}
