public import Foundation
public import TributaryChanges

/// What stands for `%@`, `%K`, `%d` or `%f` in the text of a predicate.
public enum PredicateArgument: Sendable, Hashable {
    /// A value; a string also serves as the key path of `%K`.
    case value(PropertyValue)
    /// The values of `IN`, or the bounds of `BETWEEN`.
    case list([PropertyValue])

    /// An object, for comparison with a relationship or with SELF.
    public static func object(_ id: ManagedObjectID) -> PredicateArgument { .value(.reference(id.uniqueID)) }

    /// A UUID.
    public static func uuid(_ id: UUID) -> PredicateArgument { .value(.uuid(UniqueID(id))) }

    /// A date.
    public static func date(_ date: Date) -> PredicateArgument { .value(.date(DateValue(date))) }

    /// A string.
    public static func string(_ text: String) -> PredicateArgument { .value(.string(text)) }

    /// An integer.
    public static func integer(_ number: some BinaryInteger) -> PredicateArgument {
        .value(.integer(Int64(clamping: number)))
    }
}

extension PredicateArgument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .value(.string(value)) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    /// A number.
    public init(floatLiteral value: Double) { self = .value(.double(value)) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
    /// No value.
    public init(nilLiteral: ()) { self = .value(.null) }
}
