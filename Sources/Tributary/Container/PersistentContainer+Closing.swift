import TributaryStore

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

    /// Returns when nothing is under way any more: no pending body, no save, no notice that is not merged.
    ///
    /// For tests, which then need no sleep: it cuts the debounce short instead of waiting for it. What the changes bring
    /// about in observers, such as fetched results controllers of the view context, has happened when it returns.
    /// Changes in contexts that nobody saves do not count.
    ///
    /// - Throws: ``ContextError`` when the main context cannot merge, such as when the store cannot be read.
    public func settled() async throws {
        repeat {
            await pipeline.pending.waitForNone()
            await store.waitForTurn()
            await pipeline.flush()
            if let reason = pipeline.status.failure { throw ContextError.store(reason: reason) }
            await MainActor.run { viewContext.processPendingChanges() }
        } while pipeline.pending.count > 0 || !pipeline.mailbox.isEmpty
    }
}
