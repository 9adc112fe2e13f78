import Foundation
import Synchronization
import TributaryAdmin

/// A lock that allows one piece of long work of its kind at a time, and names its holder to other clients.
final class WorkLock: Sendable {
    /// Releases the lock on request, at the latest when its last reference is released.
    final class Hold: Sendable {
        private let lock: WorkLock
        private let isReleased = Atomic(false)

        fileprivate init(_ lock: WorkLock) { self.lock = lock }

        deinit { release() }

        func release() {
            if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { lock.release() }
        }
    }

    private struct Holder {
        let name: String
        let since: Date
    }

    /// The work as a clause with "is", such as "synchronizing".
    private let activity: String
    private let holder = Mutex<Holder?>(nil)

    init(activity: String) {
        self.activity = activity
    }

    /// Acquires the lock; the holder releases it with ``release()``.
    func acquire(for caller: Caller) throws(ProblemDocument) {
        let other: Holder? = holder.withLock { holder in
            if let holder { return holder }
            holder = Holder(name: caller.name, since: Date())
            return nil
        }
        guard let other else { return }
        throw ProblemDocument(
            .busy,
            detail: "\(other.name) is \(activity) since \(other.since.formatted(.iso8601))",
            hint: "try again when it is done"
        )
    }

    /// Acquires the lock until the returned object is released.
    func hold(for caller: Caller) throws(ProblemDocument) -> Hold {
        try acquire(for: caller)
        return Hold(self)
    }

    func release() { holder.withLock { $0 = nil } }
}
