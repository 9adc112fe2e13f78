import TributaryStore

extension PersistentContainer {
    /// The number of blocks that were accepted and have not ended.
    public var pendingSaves: Int { pipeline.pending.count }

    /// Waits for pending blocks, merges a last time, and closes the store.
    ///
    /// The store is closed also when the last merge fails.
    ///
    /// - Throws: the error of the last merge or of closing the store.
    public func close() async throws {
        let closed = await result { try await pipeline.close() }
        await contexts.endAll()
        try closed.get()
    }

    private func result(_ block: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await block())
        } catch {
            return .failure(error)
        }
    }

    /// Returns when no block, save or change notification is pending.
    ///
    /// It is for tests, which then need no sleep: it cuts the debounce short instead of waiting for it. The effects of
    /// the changes in observers, such as fetched results controllers of the view context, have happened when it
    /// returns. Unsaved changes of contexts do not count.
    ///
    /// - Throws: ``ContextError`` when the main context cannot merge, such as when the store cannot be read.
    public func settled() async throws {
        repeat {
            await pipeline.pending.waitForNone()
            await store.waitForTurn()
            await pipeline.flush()
            if let reason = pipeline.status.failure { throw ContextError.store(reason: reason) }
            await MainActor.run { viewContext.processPendingChanges() }
        } while pipeline.pending.count > 0 || !pipeline.pendingNotifications.isEmpty
    }
}
