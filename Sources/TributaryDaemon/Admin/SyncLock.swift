import Foundation
import Synchronization
import TributaryAdmin

/// A lock that allows one synchronization at a time, and names its holder to other clients.
final class SyncLock: Sendable {
    private struct Holder {
        let name: String
        let since: Date
    }

    private let holder = Mutex<Holder?>(nil)

    /// Acquires the lock; the holder releases it with ``release()``.
    ///
    /// - Throws: ``ProblemDocument`` `busy`, with the holder's name.
    func acquire(for caller: Caller) throws(ProblemDocument) {
        let other: Holder? = holder.withLock { holder in
            if let holder { return holder }
            holder = Holder(name: caller.name, since: Date())
            return nil
        }
        guard let other else { return }
        throw ProblemDocument(
            .busy,
            detail: "\(other.name) is synchronizing since \(other.since.formatted(.iso8601))",
            hint: "try again when it is done"
        )
    }

    func release() { holder.withLock { $0 = nil } }
}
