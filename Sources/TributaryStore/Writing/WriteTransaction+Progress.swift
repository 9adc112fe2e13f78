import CSQLite
import GRDB

/// What is called while SQLite works.
private final class Progress {
    let step: () -> Void

    init(_ step: @escaping () -> Void) { self.step = step }
}

extension WriteTransaction {
    /// Instructions of SQLite's machine between two calls; SQLite counts them for each statement by itself.
    package static let instructionsBetweenSteps: Int32 = 1_000

    /// Calls `step` again and again while the statements of `body` run, however much one change asks of them.
    ///
    /// With `instructions` of 1, `step` is called for each of them.
    package func reportingProgress<T>(
        every instructions: Int32 = instructionsBetweenSteps,
        _ step: @escaping () -> Void,
        _ body: () throws -> T
    ) rethrows -> T {
        let progress = Progress(step)
        sqlite3_progress_handler(
            db.sqliteConnection,
            instructions,
            { context in
                guard let context else { return 0 }
                Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().step()
                return 0
            },
            Unmanaged.passUnretained(progress).toOpaque()
        )
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(progress, body)
    }
}
