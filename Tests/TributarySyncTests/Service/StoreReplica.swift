import Dispatch
import Synchronization
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A store without contexts: merging only advances the number of the transaction that counts as shown.
final class StoreReplica: LocalReplica {
    let store: Store
    private let shown: Mutex<Int64>
    let commitSignal = Signal()

    init(store: Store) throws {
        self.store = store
        shown = Mutex(try store.read { try $0.history.newestTransaction() })
    }

    var shownTransaction: Int64 { shown.withLock(\.self) }

    func importTransactions<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .background).async { [store] in
                continuation.resume(with: Result { try store.write(body).0 })
            }
        }
    }

    func mergePendingChanges() async {
        guard let newest = try? store.read({ try $0.history.newestTransaction() }) else { return }
        shown.withLock { $0 = max($0, newest) }
    }

    /// Commits local changes and sends a hint about them, as contexts do.
    ///
    /// - Throws: ``StoreError``.
    func commit(_ changes: [Change]) throws {
        _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: changes)) }
        commitSignal.raise()
    }
}
