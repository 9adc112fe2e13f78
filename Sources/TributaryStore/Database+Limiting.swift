import CSQLite
import GRDB

/// The end of the time that a read may take, for SQLite's progress handler.
private final class Deadline {
    private let end: ContinuousClock.Instant
    var isOver: Bool { ContinuousClock.now >= end }

    init(after duration: Duration) {
        end = .now + duration
    }
}

extension Database {
    /// Steps of SQLite's machine between two looks at the clock: well under a millisecond.
    private static let stepsBetweenChecks: Int32 = 2000

    /// Interrupts statements of `body` that still run when the time is over.
    ///
    /// - Throws: `StoreError.timedOut` in place of SQLite's own error.
    func limited<T>(to duration: Duration, _ body: () throws -> T) throws -> T {
        let deadline = Deadline(after: duration)
        sqlite3_progress_handler(
            sqliteConnection,
            Database.stepsBetweenChecks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            },
            Unmanaged.passUnretained(deadline).toOpaque()
        )
        defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
        do {
            return try withExtendedLifetime(deadline, body)
        } catch StoreError.database(SQLITE_INTERRUPT, _) where deadline.isOver {
            throw StoreError.timedOut(after: duration)
        }
    }
}
