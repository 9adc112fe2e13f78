package import TributaryChanges

/// Writes large binaries into files beside the store; reads binaries that an import only names from `source`.
final class ExternalValues {
    private let layout: StoreModel
    private let drafts: BlobDrafts?
    var source: BlobSource?
    /// In bytes; SQLite accepts 1 billion bytes in a row, and the other columns need room.
    static let largestBlob: Int64 = 900_000_000

    init(layout: StoreModel, folder: BlobFolder?) {
        self.layout = layout
        drafts = folder.map { BlobDrafts(folder: $0) }
    }

    /// Call this before other code reads the rows, and before the commit.
    func publish() throws { try drafts?.publish() }

    func stored(_ value: PropertyValue?, column: Int, entity: Int) throws -> PropertyValue? {
        switch value {
        case .binary(let bytes)?:
            guard bytes.count > BlobFolder.threshold, let drafts = drafts(of: column, entity) else { return value }
            return try drafts.add(bytes)
        case .blob(let sha256, let size)?:
            guard let source, size <= ExternalValues.largestBlob else { return value }
            if size > BlobFolder.threshold, let drafts = drafts(of: column, entity) {
                return try drafts.add(sha256: sha256, size: size) { try source(sha256, size, $0) }
            }
            var bytes: [UInt8] = []
            try source(sha256, size) { bytes.append(contentsOf: $0) }
            return .binary(bytes)
        default: return value
        }
    }

    private func drafts(of column: Int, _ entity: Int) -> BlobDrafts? {
        layout.tables[layout.entities[entity].table].columns[column].isExternal ? drafts : nil
    }
}

extension Store {
    /// Returns the value with its bytes; throws ``StoreError`` `blob` if its file is missing or damaged.
    package func whole(_ value: PropertyValue) throws(StoreError) -> PropertyValue {
        try context.whole(value)
    }

    /// If the file cannot be read, returns the value unchanged, so that other values can still be read.
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
    package func isSame(as other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.blob(let sha256, let size), .binary(let bytes)), (.binary(let bytes), .blob(let sha256, let size)):
            size == bytes.count && BlobFolder.hash(bytes) == sha256
        default: self == other
        }
    }

    /// The same for a binary in the row, beside the store and beside the log.
    var canonicalBlob: PropertyValue {
        guard case .binary(let bytes) = self else { return self }
        return .blob(sha256: BlobFolder.hash(bytes), size: Int64(bytes.count))
    }
}
