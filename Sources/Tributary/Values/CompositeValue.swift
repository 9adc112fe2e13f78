public import TributaryChanges

/// A Swift type for a composite of the model; `tributaryctl model generate` writes such types.
public protocol CompositeValue: FieldValue, Codable, Hashable, Sendable {
    /// Creates the value from its members.
    init(_ fields: CompositeFields)
    /// The members of the value.
    var compositeFields: CompositeFields { get }
}

extension CompositeValue {
    /// Creates the value of a composite attribute; nil when it is another value.
    public init?(fieldValue: PropertyValue) {
        guard let fields = CompositeFields(fieldValue) else { return nil }
        self.init(fields)
    }

    /// The value as canonical JSON.
    public var fieldValue: PropertyValue { compositeFields.value }

    /// A value whose members are missing.
    public static var zeroField: Self { Self(CompositeFields()) }
}
