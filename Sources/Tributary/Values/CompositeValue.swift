public import TributaryChanges

/// A Swift type for a composite of the model; `tributaryctl model generate` writes them.
public protocol CompositeValue: FieldValue, Codable, Hashable, Sendable {
    /// The value of its members.
    init(_ fields: CompositeFields)
    /// Its members.
    var compositeFields: CompositeFields { get }
}

extension CompositeValue {
    /// The value of a composite attribute; nil when it is something else.
    public init?(fieldValue: PropertyValue) {
        guard let fields = CompositeFields(fieldValue) else { return nil }
        self.init(fields)
    }

    /// The value as canonical JSON.
    public var fieldValue: PropertyValue { compositeFields.value }

    /// A value whose members are missing.
    public static var zeroField: Self { Self(CompositeFields()) }
}
