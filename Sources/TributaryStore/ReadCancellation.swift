import CSQLite
import GRDB
import Synchronization

/// Ends a read that has begun, or has yet to begin, from any thread.
package final class ReadCancellation: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Steps of SQLite's machine between two looks at the flag.
    private static let stepsBetweenChecks: Int32 = 2000

    /// Interrupts the statements of `body` when it is cancelled.
    ///
    /// - Throws: `CancellationError` in place of SQLite's own error.
    func guarding<T>(_ database: Database, _ body: () throws -> T) throws -> T {
        if isCancelled { throw CancellationError() }
        sqlite3_progress_handler(
            database.sqliteConnection,
            ReadCancellation.stepsBetweenChecks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadCancellation>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        do {
            return try withExtendedLifetime(self, body)
        } catch StoreError.database(SQLITE_INTERRUPT, _) where isCancelled {
            throw CancellationError()
        }
    }
}
