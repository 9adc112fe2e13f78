public import TributaryChanges

/// An attribute of an entity, as the model states it.
public struct Attribute: Sendable, Hashable {
    /// The name, which is also that of the store's column.
    public var name: String
    /// The type of its values.
    public var type: AttributeType
    /// Whether an object may be saved without a value.
    public var isOptional = false
    /// The value of a new object, and what reads while nothing was ever written; null when there is none.
    public var defaultValue: PropertyValue = .null
    /// The least value; of a date Unix seconds, of a string its least length in characters, as an integer.
    public var minimum: PropertyValue = .null
    /// The greatest value; of a date Unix seconds, of a string its greatest length in characters, as an integer.
    public var maximum: PropertyValue = .null
    /// The regular expression that a string must match as a whole.
    public var regularExpression: String?
    /// Whether the value lives in the object only and never in the store.
    public var isTransient = false
    /// The expression that computes the value at save, such as `canonical:(name)`.
    public var derivationExpression: String?
    /// Whether the value is kept in the history of a deletion.
    public var preservesValueAfterDeletion = false
    /// Whether values of more than 128 KiB lie in files beside the store, `STORE-blobs/ab/<SHA-256>`.
    ///
    /// Their column then has `{"blob":"<SHA-256>","size":N}` as TEXT instead of the bytes as BLOB. It is of no effect in a
    /// store in memory, and of none for attributes of other types or preserved after deletion; in a uniqueness constraint it is refused. Log and digest are the same with and without it.
    public var allowsExternalBinaryStorage = false
    /// The name of the transformer that a transformable attribute's class goes through.
    public var valueTransformerName: String?
    /// The class of a transformable attribute's values.
    public var customClassName: String?
    /// The composite that this attribute is made of, when the type says so.
    public var compositeName: String?
    /// The attributes of that composite, sorted by name; known once the attribute belongs to a ``Model``.
    public internal(set) var compositeAttributes: [Attribute] = []
    /// How concurrent writes to it come together.
    public var mergeRule: MergeRule = .latest
    /// The name the attribute had in the model version before.
    public var renamingIdentifier: String?
    /// Words that make the version hash another one, for a change that the model does not show.
    public var versionHashModifier: String?
    /// Further words of the model about it.
    public var userInfo: [String: String] = [:]

    /// An attribute that is mandatory and has no default until it is said otherwise.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }

    /// Whether the attribute has a column in the store.
    public var isStored: Bool { !isTransient && type != .undefined }
}
