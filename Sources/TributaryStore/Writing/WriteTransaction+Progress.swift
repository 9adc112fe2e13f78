import CSQLite
import GRDB

/// Holds the function that SQLite calls while it works.
private final class Progress {
    let step: () -> Void

    init(_ step: @escaping () -> Void) { self.step = step }
}

extension WriteTransaction {
    /// Instructions of SQLite's virtual machine between two calls; SQLite counts them for each statement separately.
    package static let instructionsBetweenSteps: Int32 = 1_000

    /// Calls `step` repeatedly while the statements of `block` run, however much work one change causes.
    ///
    /// With `instructions` of 1, SQLite calls `step` for each instruction.
    package func reportingProgress<T>(
        every instructions: Int32 = instructionsBetweenSteps,
        _ step: @escaping () -> Void,
        _ block: () throws -> T
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
        return try withExtendedLifetime(progress, block)
    }
}
