import CSQLite
package import GRDB
import TributaryModel

/// The state of SQLite's progress handler: it asks whether the statement is due to be interrupted.
private final class Interruption {
    let isDue: @Sendable () -> Bool

    init(_ isDue: @escaping @Sendable () -> Bool) {
        self.isDue = isDue
    }
}

extension Database {
    /// Instructions of SQLite's virtual machine between two calls of the handler: well under a millisecond.
    package static let stepsBetweenQuestions: Int32 = 2_000

    /// Interrupts statements of `block` once `isDue` is true: between two instructions, and inside a string match.
    ///
    /// - Throws: What `block` throws; a statement that was interrupted throws SQLite's own error.
    package func interrupting<T>(
        when isDue: @escaping @Sendable () -> Bool,
        every steps: Int32 = stepsBetweenQuestions,
        _ block: () throws -> T
    ) throws -> T {
        let interruption = Interruption(isDue)
        sqlite3_progress_handler(
            sqliteConnection,
            steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().isDue() ? 1 : 0
            },
            Unmanaged.passUnretained(interruption).toOpaque()
        )
        defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(interruption) {
            try MatchingLimit.with(isDue) { try block() }
        }
    }
}
