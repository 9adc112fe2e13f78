package import TributaryStore

extension PersistentContainer {
    /// Merges the announced changes now instead of after the timer, and returns when the main context shows them.
    public func mergePendingChanges() async { await pipeline.flush() }

    /// Makes sure that the main context shows the token's transaction.
    public func mergePendingChanges(through token: HistoryToken) async { await pipeline.flush(through: token.number) }

    /// Sets debounce, ceiling and saving; the options take effect with the next announcement.
    public func setMergeOptions(_ options: MergeOptions) { pipeline.pendingNotifications.options = options }

    /// Returns the updates of the main context from now on.
    ///
    /// A slow subscriber gets combined updates; no update is lost.
    public func storeUpdates() -> StoreUpdates { pipeline.updates.subscribe() }

    /// Returns the failed saves of the main context during merges, from now on.
    ///
    /// The changes stay in the context, and the save is tried again after the next change.
    public func mainSaveFailures() -> AsyncStream<MainSaveFailure> { pipeline.failures.stream() }

    /// Returns the activities from now on; a slow subscriber loses the oldest.
    public func activities() -> AsyncStream<Activity> { pipeline.activities.broadcast.stream() }

    /// Publishes a job of the program as an activity.
    public func activity<T>(_ title: String, _ block: () async throws -> T) async rethrows -> T {
        try await pipeline.activities.run(title, block)
    }

    package var mainGeneration: Generation { pipeline.generation }

    package var mergeStatus: MergeStatus { pipeline.status }

    package func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try await pipeline.importTransactions(block)
    }

    package func request<T>(_ block: () async throws -> T) async rethrows -> T { try await pipeline.request(block) }

    /// Raised after each local commit, as a hint that there may be transactions to export; one task may wait for it.
    package var commitSignal: Signal { pipeline.commits }

    /// Returns a new monitor of the running activities from now on.
    @MainActor public func activityMonitor() -> ActivityMonitor { ActivityMonitor(pipeline.activities) }
}

/// The options of merging: when the main context merges the saves of others, and whether it saves then.
public struct MergeOptions: Sendable, Hashable {
    /// The quiet time after the last announcement before the main context merges.
    public var debounce: Duration = .seconds(1)
    /// The longest time that an announcement waits.
    public var ceiling: Duration = .seconds(5)
    /// Whether the main context saves its own changes when it merges.
    public var saves = true
    /// The number of IDs that a pending change notification lists before it collapses to "everything".
    public var pendingLimit = 10_000

    /// How long the program's exit waits for blocks that were accepted and have not ended.
    public var shutdownTimeout: Duration = .seconds(10)

    /// The number of IDs that a pending change notification lists.
    @available(*, deprecated, renamed: "pendingLimit")
    public var mailboxLimit: Int {
        get { pendingLimit }
        set { pendingLimit = newValue }
    }

    /// Creates options with a debounce of 1 s, a ceiling of 5 s, and saving.
    public init() {}
}

/// A failure of the main context's own save during a merge; the context keeps its changes.
public struct MainSaveFailure: Error, Sendable {
    /// The error that the save threw.
    public let error: any Error

    /// Creates a failure with its error.
    public init(error: any Error) {
        self.error = error
    }
}
