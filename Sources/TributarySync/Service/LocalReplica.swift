package import TributaryStore

/// This machine's replica of the data: a store, and whatever shows the store's contents to programs.
///
/// The sync reads and writes through ``store``. It imports through ``importTransactions(_:)``, so that those who show the
/// store are notified of each import in the order of the commits.
package protocol LocalReplica: Sendable {
    var store: Store { get }

    /// The number of the newest transaction that programs are shown; ``mergePendingChanges()`` moves it.
    var shownTransaction: Int64 { get }

    /// Yields after local commits from now on: a hint that there may be something to export.
    func commitHints() -> AsyncStream<Void>

    /// Runs `body` in one SQLite transaction with the write lock held, on a thread of low priority, and notifies those
    /// who show the store of the transactions that it returns.
    ///
    /// - Throws: what `body` throws, after everything is rolled back, and ``StoreError``.
    func importTransactions<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T

    /// Returns when programs are shown everything that is committed.
    func mergePendingChanges() async
}
