package import TributaryChanges

extension Store {
    /// A value with its bytes: one that lies beside the store is read, any other is as it is.
    ///
    /// - Throws: ``StoreError`` `blob` when its file is missing or damaged.
    package func whole(_ value: PropertyValue) throws(StoreError) -> PropertyValue {
        try context.whole(value)
    }

    /// The same; a value whose bytes cannot be read as it is, so that they keep nobody from the rest.
    package func readable(_ value: PropertyValue) -> PropertyValue { context.readable(value) }
}

extension StoreContext {
    func whole(_ value: PropertyValue) throws(StoreError) -> PropertyValue {
        guard case .blob(let sha256, let size) = value else { return value }
        guard let blobs else { throw .blob(path: configuration.path, reason: "a store in memory has no blobs") }
        return .binary(try blobs.bytes(sha256: sha256, size: size))
    }

    func readable(_ value: PropertyValue) -> PropertyValue { (try? whole(value)) ?? value }
}

extension PropertyValue {
    /// Whether it stands for the same bytes, though one of the two may lie beside a store.
    package func isSame(as other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.blob(let sha256, let size), .binary(let bytes)), (.binary(let bytes), .blob(let sha256, let size)):
            size == bytes.count && BlobFolder.hash(bytes) == sha256
        default: self == other
        }
    }

    /// A binary by its hash, so that it is the same whether it lies in its row, beside the store or beside the log.
    var canonicalBlob: PropertyValue {
        guard case .binary(let bytes) = self else { return self }
        return .blob(sha256: BlobFolder.hash(bytes), size: Int64(bytes.count))
    }
}
