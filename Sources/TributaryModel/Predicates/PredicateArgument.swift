public import Foundation
public import TributaryChanges

/// A value for `%@`, `%K`, `%d` or `%f` in the text of a predicate.
///
/// Literals are arguments, and `PredicateArgument(_:)` makes one of every ``PredicateArgumentConvertible`` value.
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

    /// An integer, or a decimal when 64 bits cannot hold it.
    public static func integer(_ number: some BinaryInteger) -> PredicateArgument {
        guard let integer = Int64(exactly: number) else { return .value(.decimal(String(number))) }
        return .value(.integer(integer))
    }

    /// A number.
    public static func double(_ number: some BinaryFloatingPoint) -> PredicateArgument {
        .value(.double(Double(number)))
    }

    /// A decimal with all its digits.
    public static func decimal(_ number: Decimal) -> PredicateArgument { .value(.decimal(number.description)) }

    /// A boolean.
    public static func boolean(_ flag: Bool) -> PredicateArgument { .value(.boolean(flag)) }

    /// Bytes, which compare with NULL only.
    public static func data(_ data: Data) -> PredicateArgument { .value(.binary([UInt8](data))) }
}

extension PredicateArgument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral
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
    /// A list of values of any kinds; nested lists are joined.
    public init(arrayLiteral elements: PredicateArgument...) { self = elements.predicateArgument }
}
