import CSQLite
import GRDB

extension Database {
    /// Interrupts statements of `block` that run when the time is over or the caller has cancelled the read.
    ///
    /// - Throws: In place of SQLite's own error `StoreError.timedOut`, and `CancellationError` when it was cancelled.
    func limited<T>(
        to duration: Duration,
        cancellation: ReadCancellation,
        _ block: () throws -> T
    ) throws -> T {
        let end = ContinuousClock.now + duration
        if cancellation.isCancelled { throw CancellationError() }
        do {
            return try interrupting(when: { cancellation.isCancelled || ContinuousClock.now >= end }, block)
        } catch StoreError.database(SQLITE_INTERRUPT, _) {
            if cancellation.isCancelled { throw CancellationError() }
            throw StoreError.timedOut(after: duration)
        }
    }
}
