extension PersistentContainer {
    /// Bodies that were accepted and have not ended.
    public var pendingSaves: Int { pipeline.pending.count }

    /// Waits for pending bodies, merges a last time, closes the store.
    ///
    /// The store is closed also when the last merge fails.
    ///
    /// - Throws: what the last merge or closing the store threw.
    public func close() async throws { try await pipeline.close() }
}
