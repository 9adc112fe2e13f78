extension PersistentContainer {
    /// Bodies that were accepted and have not ended.
    public var pendingSaves: Int { pipeline.pending.count }

    /// Waits for pending bodies, merges a last time, closes the store.
    ///
    /// The store is closed also when the last merge fails.
    ///
    /// - Throws: what the last merge or closing the store threw.
    public func close() async throws {
        let closed = await result { try await pipeline.close() }
        await contexts.endAll()
        try closed.get()
    }

    private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
