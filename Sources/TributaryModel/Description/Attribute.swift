public import TributaryChanges

/// An attribute of an entity, as in the model.
public struct Attribute: Sendable, Hashable {
    /// The name of the attribute and of its column in the store.
    public var name: String
    /// The type of its values.
    public var type: AttributeType
    /// Whether an object may be saved without a value.
    public var isOptional = false
    /// The value of a new object, and of an object without a written value; null without a default.
    public var defaultValue: PropertyValue = .null
    /// The least value; for a date in Unix seconds, for a string the least length in characters, as an integer.
    public var minimum: PropertyValue = .null
    /// The greatest value; for a date in Unix seconds, for a string the greatest length in characters, as an integer.
    public var maximum: PropertyValue = .null
    /// The regular expression that a string must match as a whole.
    ///
    /// A match that takes more than ten million steps, which some patterns need for long texts, fails.
    public var regularExpression: String?
    /// Whether the value exists only in memory and has no column in the store.
    public var isTransient = false
    /// The expression that computes the value at save, such as `canonical:(name)`.
    public var derivationExpression: String?
    /// Whether the history of a deletion keeps the value.
    public var preservesValueAfterDeletion = false
    /// Whether values of more than 128 KiB are stored in files beside the store, `STORE-blobs/ab/<SHA-256>`.
    ///
    /// The column of such a value holds `{"blob":"<SHA-256>","size":N}` as TEXT instead of the bytes as BLOB. The flag
    /// has no effect in a store in memory, for other types, and for values that are preserved after deletion; a
    /// uniqueness constraint on the attribute is refused. The log and the digest do not depend on the flag.
    public var allowsExternalBinaryStorage = false
    /// The name of the value transformer of a transformable attribute.
    public var valueTransformerName: String?
    /// The class of a transformable attribute's values.
    public var customClassName: String?
    /// The name of the composite type; set when `type` is composite.
    public var compositeName: String?
    /// The attributes of the composite type, sorted by name; filled in when the attribute belongs to a ``Model``.
    public internal(set) var compositeAttributes: [Attribute] = []
    /// How concurrent writes to the attribute are merged.
    public var mergeRule: MergeRule = .latest
    /// The attribute's name in the previous model version.
    public var renamingIdentifier: String?
    /// A text that changes the version hash, for a change that the rest of the model does not show.
    public var versionHashModifier: String?
    /// Further information about the attribute by key, as in the model.
    public var userInfo: [String: String] = [:]

    /// Creates a mandatory attribute without a default value.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }

    /// Whether the attribute has a column in the store.
    public var isStored: Bool { !isTransient && type != .undefined }

    /// The outermost name comes first.
    package func member(at names: ArraySlice<String>) -> Attribute? {
        guard let name = names.first else { return nil }
        guard let member = compositeAttributes.first(where: { $0.name == name }) else { return nil }
        return names.count == 1 ? member : member.member(at: names.dropFirst())
    }

    package var isCounter: Bool { isStored && mergeRule == .counter }

    package func memberValue(of composite: PropertyValue, at names: [String]) -> PropertyValue {
        guard let json = Attribute.member(of: composite, at: names) else { return .null }
        return (type == .composite ? value(from: json) : type.scalarValue(from: json)) ?? .null
    }

    package static func member(of composite: PropertyValue, at names: [String]) -> JSONValue? {
        guard case .composite(let text) = composite, var json = JSONValue(text: text) else { return nil }
        for name in names {
            guard let next = json[name] else { return nil }
            json = next
        }
        return json
    }

    /// A counter has 64 bits, whatever its own type: the sum of several writers may exceed that type.
    package var valueType: AttributeType {
        guard mergeRule == .counter else { return type }
        return type.isInteger ? .integer64 : .double
    }

    package func increment(by amount: PropertyValue) -> PropertyWrite? {
        CounterTotals.isZero(amount) ? nil : PropertyWrite(name: name, value: JSONValue(increment: amount.json))
    }
}
