public import Foundation
public import TributaryChanges

/// A Swift value for `%@`, `%K`, `%d` or `%f` in the text of a predicate.
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
    /// The value, or NULL when it is missing.
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

extension PredicateArgumentConvertible where Self: BinaryInteger {
    /// The number as an integer, or as a decimal when 64 bits cannot hold it.
    public var predicateArgument: PredicateArgument { .integer(self) }
}

extension PredicateArgumentConvertible where Self: BinaryFloatingPoint {
    /// The number as a double.
    public var predicateArgument: PredicateArgument { .value(.double(Double(self))) }
}

extension Int: PredicateArgumentConvertible {}
extension Int8: PredicateArgumentConvertible {}
extension Int16: PredicateArgumentConvertible {}
extension Int32: PredicateArgumentConvertible {}
extension Int64: PredicateArgumentConvertible {}
extension Int128: PredicateArgumentConvertible {}
extension UInt: PredicateArgumentConvertible {}
extension UInt8: PredicateArgumentConvertible {}
extension UInt16: PredicateArgumentConvertible {}
extension UInt32: PredicateArgumentConvertible {}
extension UInt64: PredicateArgumentConvertible {}
extension UInt128: PredicateArgumentConvertible {}
extension Double: PredicateArgumentConvertible {}
extension Float: PredicateArgumentConvertible {}
extension Float16: PredicateArgumentConvertible {}
extension CGFloat: PredicateArgumentConvertible {}

extension Decimal: PredicateArgumentConvertible {
    /// The number with all its digits.
    public var predicateArgument: PredicateArgument { .decimal(self) }
}

extension Bool: PredicateArgumentConvertible {
    /// The truth value.
    public var predicateArgument: PredicateArgument { .boolean(self) }
}

extension String: PredicateArgumentConvertible {
    /// The string, which is also the key path of `%K`.
    public var predicateArgument: PredicateArgument { .string(self) }
}

extension Substring: PredicateArgumentConvertible {
    /// The string, which is also the key path of `%K`.
    public var predicateArgument: PredicateArgument { .string(String(self)) }
}

extension Date: PredicateArgumentConvertible {
    /// The date.
    public var predicateArgument: PredicateArgument { .date(self) }
}

extension UUID: PredicateArgumentConvertible {
    /// The UUID.
    public var predicateArgument: PredicateArgument { .uuid(self) }
}

extension UniqueID: PredicateArgumentConvertible {
    /// The UUID.
    public var predicateArgument: PredicateArgument { .value(.uuid(self)) }
}

extension URL: PredicateArgumentConvertible {
    /// The URL.
    public var predicateArgument: PredicateArgument { .value(.uri(absoluteString)) }
}

extension Data: PredicateArgumentConvertible {
    /// The bytes, which compare with NULL only.
    public var predicateArgument: PredicateArgument { .data(self) }
}

extension PropertyValue: PredicateArgumentConvertible {
    /// The value itself.
    public var predicateArgument: PredicateArgument { .value(self) }
}

extension ManagedObjectID: PredicateArgumentConvertible {
    /// The object, for comparison with a relationship or with SELF.
    public var predicateArgument: PredicateArgument { .object(self) }
}

/// A value for `%@`, `%K`, `%d` or `%f` in the text of a predicate.
///
/// Literals are arguments, and `PredicateArgument(_:)` converts every ``PredicateArgumentConvertible`` value.
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
