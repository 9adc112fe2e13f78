package import TributaryStore

/// A store, and the object that shows its contents to the programs on this machine.
package protocol LocalReplica: Sendable {
    var store: Store { get }

    /// The number of the newest transaction that programs see; ``mergePendingChanges()`` advances it.
    var shownTransaction: Int64 { get }

    /// Raised after each local commit, because there may be something to export; the service also raises it.
    var commitSignal: Signal { get }

    /// Notifies the observers of the store, in the order of the commits, of the transactions that `block` returns.
    func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T

    func mergePendingChanges() async
}

extension LocalReplica {
    /// Commits a transaction without changes, which acknowledges everything that the store has applied.
    func acknowledge(if isNeeded: @escaping @Sendable (WriteTransaction) throws -> Bool = { _ in true }) async throws {
        try await importTransactions { transaction in
            guard try isNeeded(transaction) else { return ((), []) }
            let empty = LocalTransaction(author: "tributaryd", contextName: "acknowledgement", changes: [])
            return ((), [try transaction.commit(empty)])
        }
    }
}
