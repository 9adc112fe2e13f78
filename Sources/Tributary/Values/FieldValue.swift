public import TributaryChanges

/// A Swift type that an attribute can have.
public protocol FieldValue {
    /// The type of a value that is present: the type itself, or the wrapped type of an optional.
    associatedtype Present: FieldValue = Self
    /// Creates the value from an attribute's value; nil when that is of another type.
    init?(fieldValue: PropertyValue)
    /// The value in the form of an attribute.
    var fieldValue: PropertyValue { get }
    /// The value of an attribute that was never set.
    static var zeroField: Self { get }
}
