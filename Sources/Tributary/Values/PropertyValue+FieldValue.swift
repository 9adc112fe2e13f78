public import TributaryChanges

extension PropertyValue: FieldValue {
    /// Creates the value unchanged.
    public init?(fieldValue: PropertyValue) { self = fieldValue }
    /// The value unchanged.
    public var fieldValue: PropertyValue { self }
    /// The null value.
    public static var zeroField: PropertyValue { .null }
}
