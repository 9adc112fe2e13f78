package import TributaryChanges

extension Store {
    /// Returns the value with its bytes: reads a value that lies beside the store, and returns any other value
    /// unchanged.
    ///
    /// - Throws: ``StoreError`` `blob` when its file is missing or damaged.
    package func whole(_ value: PropertyValue) throws(StoreError) -> PropertyValue {
        try context.whole(value)
    }

    /// Returns the value with its bytes, or the unchanged value when its file cannot be read.
    ///
    /// An unreadable file then does not prevent the other values from being read.
    package func readable(_ value: PropertyValue) -> PropertyValue { context.readable(value) }

    package func restore(
        _ value: ExternalValueFault,
        from source: (_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        _ = try context.blobs?.keep(sha256: value.sha256, size: value.size, source)
    }
}

extension StoreContext {
    func whole(_ value: PropertyValue) throws(StoreError) -> PropertyValue {
        guard case .blob(let sha256, let size) = value else { return value }
        guard let blobs else { throw .blob(path: configuration.path, reason: "a store in memory has no blobs") }
        return .binary(try blobs.bytes(sha256: sha256, size: size))
    }

    package func readable(_ value: PropertyValue) -> PropertyValue { (try? whole(value)) ?? value }
}

extension PropertyValue {
    /// Whether both values are equal or stand for equal bytes; either may lie beside a store.
    package func isSame(as other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.blob(let sha256, let size), .binary(let bytes)), (.binary(let bytes), .blob(let sha256, let size)):
            size == bytes.count && BlobFolder.hash(bytes) == sha256
        default: self == other
        }
    }

    /// The binary as its hash, which is equal whether the bytes are in the row, beside the store or beside the log.
    var canonicalBlob: PropertyValue {
        guard case .binary(let bytes) = self else { return self }
        return .blob(sha256: BlobFolder.hash(bytes), size: Int64(bytes.count))
    }
}
