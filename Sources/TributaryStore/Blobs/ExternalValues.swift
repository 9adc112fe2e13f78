import TributaryChanges

/// Puts large binaries into files beside the store, where the model allows it, and takes binaries that an import only names
/// from where the import has them.
final class ExternalValues {
    private let layout: StoreModel
    /// Where large binaries go; nil when they stay in their rows.
    private let folder: BlobFolder?
    /// Where an import has the binaries that its changes only name.
    var source: BlobSource?
    /// The largest binary that SQLite takes into a row, with room for the rest of it.
    private static let largestBlob: Int64 = 900_000_000

    init(layout: StoreModel, folder: BlobFolder?) {
        self.layout = layout
        self.folder = folder
    }

    /// The value as its column stores it.
    ///
    /// A file is durable when this returns, and so before the transaction that names it commits.
    ///
    /// - Throws: what the source throws, and ``StoreError`` `blob` when the file cannot be written.
    func stored(_ value: PropertyValue?, column: Int, entity: Int) throws -> PropertyValue? {
        switch value {
        case .binary(let bytes)?:
            guard bytes.count > BlobFolder.threshold, let folder = folder(of: column, entity) else { return value }
            return try folder.keep(bytes)
        case .blob(let sha256, let size)?:
            guard let source, size <= ExternalValues.largestBlob else { return value }
            if size > BlobFolder.threshold, let folder = folder(of: column, entity) {
                return try folder.keep(sha256: sha256, size: size) { try source(sha256, size, $0) }
            }
            var bytes: [UInt8] = []
            try source(sha256, size) { bytes.append(contentsOf: $0) }
            return .binary(bytes)
        default: return value
        }
    }

    private func folder(of column: Int, _ entity: Int) -> BlobFolder? {
        layout.tables[layout.entities[entity].table].columns[column].isExternal ? folder : nil
    }
}
