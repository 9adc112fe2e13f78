public import TributaryChanges

/// An attribute of an entity, as the model states it.
public struct Attribute: Sendable, Hashable {
    public var name: String
    public var type: AttributeType
    public var isOptional = false
    public var defaultValue: PropertyValue = .null
    /// Bounds of a number or a date (Unix seconds); of a string, its least and greatest length in characters.
    public var minimum: PropertyValue = .null
    public var maximum: PropertyValue = .null
    /// The regular expression that a string must match as a whole.
    public var regularExpression: String?
    public var isTransient = false
    /// The expression that computes the value at save, such as `canonical:(name)`.
    public var derivationExpression: String?
    public var preservesValueAfterDeletion = false
    public var allowsExternalBinaryStorage = false
    public var valueTransformerName: String?
    public var customClassName: String?
    /// The composite that this attribute is made of, when the type says so.
    public var compositeName: String?
    /// The attributes of that composite, sorted by name; known once the attribute belongs to a ``Model``.
    public internal(set) var compositeAttributes: [Attribute] = []
    public var mergeRule: MergeRule = .latest
    /// The name the attribute had in the model version before.
    public var renamingIdentifier: String?
    public var userInfo: [String: String] = [:]

    /// An attribute that is mandatory and has no default until it is said otherwise.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }

    /// Whether the attribute has a column in the store.
    public var isStored: Bool { !isTransient && type != .undefined }
}
