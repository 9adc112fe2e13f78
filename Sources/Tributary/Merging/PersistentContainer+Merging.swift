package import TributaryStore

extension PersistentContainer {
    /// Merges what has been announced now instead of when the timer ends; returns when the main context shows it.
    public func mergePendingChanges() async { await pipeline.flush() }

    /// Makes sure that the main context shows the token's transaction.
    public func mergePendingChanges(through token: HistoryToken) async { await pipeline.flush(through: token.number) }

    /// New debounce, ceiling and saving; takes effect with the next announcement.
    public func setMergeOptions(_ options: MergeOptions) { pipeline.setOptions(options) }

    /// Updates of the main context from now on.
    ///
    /// A subscriber that is slow gets them coalesced, none is lost.
    public func storeUpdates() -> StoreUpdates { pipeline.updates.subscribe() }

    /// Saves of the main context that failed while it merged, from now on.
    ///
    /// The changes stay in the context, and the save is tried again after the next change.
    public func mainSaveFailures() -> AsyncStream<MainSaveFailure> { pipeline.failures.stream() }

    /// Activities from now on; the oldest are dropped for a subscriber that is slow.
    public func activities() -> AsyncStream<Activity> { pipeline.activities.broadcast.stream() }

    /// Shows a job of the program's own as an activity.
    public func activity<T>(_ title: String, _ body: () async throws -> T) async rethrows -> T {
        try await pipeline.activities.run(title, body)
    }

    /// The generation that the main context shows.
    ///
    /// Admin reads use it; they do not hop to the main actor.
    package var mainGeneration: Generation { pipeline.generation }

    /// The state of merging.
    package var mergeStatus: MergeStatus { pipeline.status }

    // MARK: Imports and commits

    /// Applies log transactions in one SQLite transaction, under the write lock, and announces them.
    package func importTransactions<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try await pipeline.activities.run("Importing") {
            try await pipeline.importing(body)
        }
    }

    /// Yields after local commits from now on: a hint that there may be something to export.
    package func commitHints() -> AsyncStream<Void> { pipeline.commits.stream() }

    /// The work under way from now on; each call makes a monitor of its own.
    @MainActor public func activityMonitor() -> ActivityMonitor { ActivityMonitor(pipeline.activities) }
}
