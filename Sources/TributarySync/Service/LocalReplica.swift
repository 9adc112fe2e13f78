package import TributaryStore

/// This machine's replica of the data: a store, and the object that shows its contents to programs.
///
/// The sync reads and writes through ``store``. It imports through ``importTransactions(_:)``, so that the observers of
/// the store are notified of each import in the order of the commits.
package protocol LocalReplica: Sendable {
    var store: Store { get }

    /// The number of the newest transaction that programs see; ``mergePendingChanges()`` advances it.
    var shownTransaction: Int64 { get }

    /// A signal that the replica raises after each local commit, as a hint that there may be something to export.
    ///
    /// The service waits for it, and raises it for other reasons too.
    var commitSignal: Signal { get }

    /// Runs `block` in one SQLite transaction with the write lock held.
    ///
    /// The function notifies the observers of the store of the transactions that `block` returns.
    ///
    /// - Throws: the errors of `block`, after everything is rolled back, and ``StoreError``.
    func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T

    /// Returns when programs see all committed transactions.
    func mergePendingChanges() async
}

extension LocalReplica {
    /// Commits a transaction without changes, which acknowledges everything that the store has applied.
    ///
    /// - Parameter isNeeded: decides inside the SQLite transaction whether it is committed.
    /// - Throws: the errors of `isNeeded`, and ``StoreError``.
    func acknowledge(if isNeeded: @escaping @Sendable (WriteTransaction) throws -> Bool = { _ in true }) async throws {
        try await importTransactions { transaction in
            guard try isNeeded(transaction) else { return ((), []) }
            let empty = LocalTransaction(author: "tributaryd", contextName: "acknowledgement", changes: [])
            return ((), [try transaction.commit(empty)])
        }
    }
}
