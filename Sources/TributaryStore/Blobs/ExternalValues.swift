import TributaryChanges

/// Writes large binaries into files beside the store, where the model allows it.
///
/// It reads binaries that an import only names from the source of the import.
final class ExternalValues {
    private let layout: StoreModel
    /// The folder for large binaries; nil when they stay in their rows.
    private let folder: BlobFolder?
    /// The source of the binaries that the changes of an import only name.
    var source: BlobSource?
    /// The largest binary that SQLite accepts in a row, with room for the other columns.
    static let largestBlob: Int64 = 900_000_000

    init(layout: StoreModel, folder: BlobFolder?) {
        self.layout = layout
        self.folder = folder
    }

    /// Returns the value in the form that its column stores.
    ///
    /// The file of a large binary is durable when this function returns, and so before the transaction that names it
    /// commits.
    ///
    /// - Throws: What the source throws, and ``StoreError`` `blob` when the file cannot be written.
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
