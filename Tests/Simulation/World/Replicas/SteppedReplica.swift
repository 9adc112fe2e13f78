import TributaryStore
import TributarySync

/// The store of a replica as the sync sees it: imports are committed on the caller's thread.
final class SteppedReplica: LocalReplica {
    let store: Store
    let commitSignal = Signal()
    private let crashes: CrashPlan

    init(store: Store, crashes: CrashPlan) {
        self.store = store
        self.crashes = crashes
    }

    var shownTransaction: Int64 { 0 }

    func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try store.write { transaction in
            let result = try block(transaction).0
            try crashes.reach(.importBeforeCommit)
            return result
        } committed: { _, _ in
            try crashes.reach(.importAfterCommit)
        }
    }

    func mergePendingChanges() async {}
}
