public import TributaryModel
package import TributaryStore

/// A store with its main context and as many background contexts as are asked for.
public final class PersistentContainer: Sendable {
    /// The model that the store was opened with.
    public let model: Model
    /// The store's configured name.
    public let name: String
    package let store: Store

    /// Opens a store at `path`.
    public convenience init(
        name: String,
        path: String,
        model: Model,
        classes: [ManagedObject.Type] = [],
        merging: MergeOptions = MergeOptions()
    ) async throws {
        fatalError("stub")
    }

    /// Builds a container on a store that is open.
    package init(store: Store, classes: [ManagedObject.Type] = [], merging: MergeOptions = MergeOptions()) async throws
    {
        fatalError("stub")
    }

    /// The context of the main actor. It shows one generation of the store and moves only when a merge is due.
    @MainActor public var viewContext: ManagedObjectContext { fatalError("stub") }

    /// A context with a queue of its own.
    public func newBackgroundContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .error
    ) -> BackgroundContext { fatalError("stub") }

    // MARK: Merging

    /// Merges what has been announced now instead of when the timer ends; returns when the main context shows it.
    public func mergePendingChanges() async { fatalError("stub") }
    /// Makes sure that the main context shows the token's transaction.
    public func mergePendingChanges(through token: HistoryToken) async { fatalError("stub") }
    /// New debounce, ceiling and saving; takes effect with the next announcement.
    public func setMergeOptions(_ options: MergeOptions) { fatalError("stub") }

    /// Updates of the main context from now on. A subscriber that is slow gets them coalesced, none is lost.
    public func storeUpdates() -> StoreUpdates { fatalError("stub") }
    /// Activities from now on; the oldest are dropped for a subscriber that is slow.
    public func activities() -> AsyncStream<Activity> { fatalError("stub") }
    /// Shows a job of the program's own as an activity.
    public func activity<T>(_ title: String, _ body: () async throws -> T) async rethrows -> T { fatalError("stub") }

    /// Bodies that were accepted and have not ended.
    public var pendingSaves: Int { fatalError("stub") }
    /// Waits for pending bodies, merges a last time, closes the store.
    public func close() async throws { fatalError("stub") }

    // MARK: For the daemon

    /// Applies log transactions on the import context's queue in one SQLite transaction, and announces them.
    package func importTransactions<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T { fatalError("stub") }

    /// The generation that the main context shows. Admin reads use it; they do not hop to the main actor.
    package var mainGeneration: Generation { fatalError("stub") }
    /// What status tells about merging, in Unix seconds.
    package var mergeStatus: MergeStatus { fatalError("stub") }
}

/// What the admin interface tells about merging.
package struct MergeStatus: Sendable, Hashable {
    package var lastMerge: Double?
    package var nextMergeDue: Double?
}

/// The updates of a container's main context, for one subscriber.
public struct StoreUpdates: AsyncSequence, Sendable {
    public typealias Element = StoreUpdate
    public typealias Failure = Never

    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> StoreUpdate? { fatalError("stub") }
    }

    public func makeAsyncIterator() -> Iterator { fatalError("stub") }
}
