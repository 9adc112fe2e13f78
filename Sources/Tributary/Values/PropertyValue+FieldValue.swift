public import TributaryChanges

extension PropertyValue: FieldValue {
    /// The value as it is.
    public init?(fieldValue: PropertyValue) { self = fieldValue }
    /// The value as it is.
    public var fieldValue: PropertyValue { self }
    /// No value.
    public static var zeroField: PropertyValue { .null }
}
