import CSQLite
import GRDB
import Synchronization

/// Cancels a running or future read from any thread.
package final class ReadCancellation: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Interrupts the statements of `block` when the read is cancelled.
    ///
    /// - Throws: `CancellationError` in place of SQLite's own error.
    func guarding<T>(_ database: Database, _ block: () throws -> T) throws -> T {
        if isCancelled { throw CancellationError() }
        do {
            return try database.interrupting(when: { self.isCancelled }, block)
        } catch StoreError.database(SQLITE_INTERRUPT, _) where isCancelled {
            throw CancellationError()
        }
    }
}
