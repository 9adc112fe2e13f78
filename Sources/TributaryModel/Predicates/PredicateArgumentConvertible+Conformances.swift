public import Foundation
public import TributaryChanges

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
    /// The value as it is.
    public var predicateArgument: PredicateArgument { .value(self) }
}

extension ManagedObjectID: PredicateArgumentConvertible {
    /// The object, for comparison with a relationship or with SELF.
    public var predicateArgument: PredicateArgument { .object(self) }
}
