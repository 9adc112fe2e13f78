public import TributaryChanges

/// A Swift type that an attribute can have.
public protocol FieldValue {
    /// The type itself, or what it wraps when it is an optional: the type of a value that is there.
    associatedtype Present: FieldValue = Self
    /// The value of an attribute as this type; nil when it is of another type.
    init?(fieldValue: PropertyValue)
    /// The value as an attribute holds it.
    var fieldValue: PropertyValue { get }
    /// What an attribute that was never set reads as.
    static var zeroField: Self { get }
}
