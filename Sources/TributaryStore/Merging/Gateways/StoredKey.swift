import TributaryChanges

/// A unique key of an object: the index of the constraint and its values, without a null.
///
/// Keys are equal when their bytes are, as SQLite compares the values of columns.
struct StoredKey: Hashable {
    let bytes: [UInt8]

    /// The number of bytes of the longest key that `tributary_shadow_key` has whole.
    private static let wholeLimit = 256
    /// The bytes that no whole key begins with: the index of a constraint that no model has.
    private static let digestMark: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x01]

    /// The key as in `tributary_shadow_key`: the whole key, or the digest of a long one.
    ///
    /// Who finds an object by a digest compares the keys of the object itself.
    var indexed: [UInt8] {
        bytes.count <= StoredKey.wholeLimit ? bytes : StoredKey.digestMark + Array(SHA256.hash(data: bytes).bytes)
    }

    /// The key of some values; nil when one of them is null.
    init?(_ constraint: Int, _ values: [PropertyValue]) {
        var writer = VariableLengthWriter()
        writer.append(UInt64(constraint))
        for value in values {
            switch value {
            case .null: return nil
            // Negative zero is equal to zero.
            case .double(let number): PropertyValue.double(number + 0).pack(into: &writer)
            default: value.pack(into: &writer)
            }
        }
        bytes = writer.bytes
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The index of the constraint in its table, and the values; nil for bytes that are no key.
    var content: (constraint: Int, values: [PropertyValue])? {
        bytes.withUnsafeBytes { buffer in
            var reader = VariableLengthReader(bytes: buffer)
            guard let constraint = reader.next() else { return nil }
            var values: [PropertyValue] = []
            while reader.index < buffer.count {
                guard let value = PropertyValue(unpacking: &reader) else { return nil }
                values.append(value)
            }
            return (Int(clamping: constraint), values)
        }
    }
}
