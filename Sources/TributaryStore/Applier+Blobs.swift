import TributaryChanges

extension Applier {
    /// The value as its column keeps it: a large binary goes to a file beside the store, where the model allows it.
    ///
    /// The file is durable when this returns, and so before the transaction that names it commits.
    func kept(_ value: PropertyValue?, at place: Int, of entity: Int) throws -> PropertyValue? {
        guard case .binary(let bytes)? = value, bytes.count > BlobFolder.threshold, let blobs,
            layout.tables[layout.entities[entity].table].columns[place].isExternal
        else { return value }
        return try blobs.keep(bytes)
    }
}
