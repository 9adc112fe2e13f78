extension UniqueID {
    /// The identifier of the object that a natural key identifies: machines that insert an object with one key insert
    /// one object, and so merge what they know of it property by property.
    ///
    /// A UUID of version 8 (RFC 9562): the first sixteen bytes of the SHA-256 of the JSON array
    /// `["ENTITY","NAME",VALUE,…]` without white space, with version and variant set. The names are in the order of their
    /// UTF-8 bytes; values and escapes are written as in the canonical form of a segment.
    ///
    /// It is nil when the key is empty or has another value: a null identifies nothing, and numbers with a point have no
    /// single text.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity that is inserted, as in the change.
    ///   - key: The values of the properties that identify the object. A segment must write them as strings, integers or
    ///     booleans, as it does not with doubles.
    public init?(entity: String, key: [String: PropertyValue]) {
        var parts = [JSONValue.string(entity)]
        for (name, value) in key.sorted(by: { $0.key.precedesByBytes($1.key) }) {
            guard value.isKeyPart else { return nil }
            parts += [.string(name), value.json]
        }
        guard parts.count > 1 else { return nil }
        let hash = SHA256.hash(data: Array(JSONValue.array(parts).text.utf8)).bytes
        let bytes = hash.withUnsafeBytes { UniqueID(bytes: $0) }
        self.init(
            high: bytes.high & ~0xF000 | 0x8000,
            low: bytes.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}

extension PropertyValue {
    /// Whether the value can be a part of the key in `UniqueID.init(entity:key:)`.
    package var isKeyPart: Bool {
        switch json {
        case .string, .integer, .boolean: true
        default: false
        }
    }

    /// The values that can be parts of a key, for messages.
    package static let keyParts = "a string, an integer or a boolean, as it identifies the object"
}
