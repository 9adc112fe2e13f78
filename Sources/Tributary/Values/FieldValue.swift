public import Foundation
public import TributaryChanges
import TributaryModel

/// A Swift type that an attribute can have.
public protocol FieldValue {
    /// The type of a value that is present: the type itself, or the wrapped type of an optional.
    associatedtype Present: FieldValue = Self
    /// Creates the value from an attribute's value; nil for a value of another type.
    init?(fieldValue: PropertyValue)
    /// The value in the form of an attribute.
    var fieldValue: PropertyValue { get }
    /// The value of an attribute that was never set.
    static var zeroField: Self { get }
}

extension String: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self = value
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .string(self) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: String { "" }
}

extension Bool: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .boolean(let value) = fieldValue else { return nil }
        self = value
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .boolean(self) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: Bool { false }
}

extension FieldValue where Self: FixedWidthInteger {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .integer(let value) = fieldValue else { return nil }
        self.init(exactly: value)
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .integer(Int64(clamping: self)) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: Self { 0 }
}

extension Int: FieldValue {}
extension Int64: FieldValue {}
extension Int32: FieldValue {}
extension Int16: FieldValue {}

extension FieldValue where Self: BinaryFloatingPoint {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .double(let value) = fieldValue else { return nil }
        self.init(value)
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .double(Double(self)) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: Self { 0 }
}

extension Double: FieldValue {}
extension Float: FieldValue {}

extension Decimal: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .decimal(let text) = fieldValue else { return nil }
        self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
    /// The canonical text: no exponent, no superfluous zeros.
    @inlinable public var fieldValue: PropertyValue { .decimal(description) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: Decimal { 0 }
}

extension Date: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .date(let value) = fieldValue else { return nil }
        self = value.date
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .date(DateValue(self)) }
    /// The start of 1970.
    @inlinable public static var zeroField: Date { Date(timeIntervalSince1970: 0) }
}

extension UniqueID: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .uuid(let value) = fieldValue else { return nil }
        self = value
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .uuid(self) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: UniqueID { UniqueID(high: 0, low: 0) }
}

extension UUID: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .uuid(let value) = fieldValue else { return nil }
        self = value.uuid
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .uuid(UniqueID(self)) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: UUID { UniqueID.zeroField.uuid }
}

extension URL: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .uri(let text) = fieldValue else { return nil }
        self.init(string: text)
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .uri(absoluteString) }
    /// The root folder, because an empty URL does not exist.
    @inlinable public static var zeroField: URL { URL(filePath: "/") }
}

extension Data: FieldValue {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .binary(let bytes) = fieldValue else { return nil }
        self.init(bytes)
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .binary([UInt8](self)) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: Data { Data() }
}

extension Array: FieldValue where Element == UInt8 {
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        guard case .binary(let bytes) = fieldValue else { return nil }
        self = bytes
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { .binary(self) }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: [UInt8] { [] }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    /// The type of a value that is present.
    public typealias Present = Wrapped.Present
    /// Creates the value as ``FieldValue`` requires.
    @inlinable public init?(fieldValue: PropertyValue) {
        self = fieldValue.isNull ? .none : Wrapped(fieldValue: fieldValue)
    }
    /// The attribute value that ``FieldValue`` requires.
    @inlinable public var fieldValue: PropertyValue { self?.fieldValue ?? .null }
    /// The zero value that ``FieldValue`` requires.
    @inlinable public static var zeroField: Wrapped? { nil }
}

extension PropertyValue: FieldValue {
    /// Creates the value unchanged.
    public init?(fieldValue: PropertyValue) { self = fieldValue }
    /// The value unchanged.
    public var fieldValue: PropertyValue { self }
    /// The null value.
    public static var zeroField: PropertyValue { .null }
}

/// A type of attributes with ordered values, which can be compared with `<`, `>` and `between`.
public protocol OrderedFieldValue: FieldValue {}

extension String: OrderedFieldValue {}
extension URL: OrderedFieldValue {}
extension Int: OrderedFieldValue {}
extension Int64: OrderedFieldValue {}
extension Int32: OrderedFieldValue {}
extension Int16: OrderedFieldValue {}
extension Double: OrderedFieldValue {}
extension Float: OrderedFieldValue {}
extension Decimal: OrderedFieldValue {}
extension Date: OrderedFieldValue {}
extension UUID: OrderedFieldValue {}
extension UniqueID: OrderedFieldValue {}

extension Attribute {
    func settable(_ value: PropertyValue) -> PropertyValue? {
        guard valueType.accepts(value) else { return nil }
        guard type == .composite, case .composite(let text) = value else { return value }
        return JSONValue(text: text).flatMap { self.value(from: $0) }
    }
}

extension AttributeType {
    /// A transient attribute without a type accepts any value.
    func accepts(_ value: PropertyValue) -> Bool {
        if case .undefined = self { true } else { holds(value) }
    }
}
