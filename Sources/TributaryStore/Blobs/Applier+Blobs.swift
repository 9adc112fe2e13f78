import TributaryChanges

extension Applier {
    /// The value as its column keeps it: a large binary goes to a file beside the store, where the model allows it.
    ///
    /// One that an import names only is taken from where the import says. A file is durable when this returns, and so before
    /// the transaction that names it commits.
    func kept(_ value: PropertyValue?, at place: Int, of entity: Int) throws -> PropertyValue? {
        switch value {
        case .binary(let bytes)?:
            guard bytes.count > BlobFolder.threshold, let blobs = blobs(at: place, of: entity) else { return value }
            return try blobs.keep(bytes)
        case .blob(let sha256, let size)?:
            guard let blobSource, size <= Applier.largestBlob else { return value }
            if size > BlobFolder.threshold, let blobs = blobs(at: place, of: entity) {
                return try blobs.keep(sha256: sha256, size: size) { try blobSource(sha256, size, $0) }
            }
            var bytes: [UInt8] = []
            try blobSource(sha256, size) { bytes.append(contentsOf: $0) }
            return .binary(bytes)
        default: return value
        }
    }

    /// What SQLite takes into a row, with room for the rest of it.
    private static let largestBlob: Int64 = 900_000_000

    private func blobs(at place: Int, of entity: Int) -> BlobFolder? {
        layout.tables[layout.entities[entity].table].columns[place].isExternal ? blobs : nil
    }
}
