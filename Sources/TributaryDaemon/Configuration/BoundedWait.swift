import Dispatch
import Foundation
import Synchronization

/// Waits for a system call that may never return, up to a time limit.
enum BoundedWait {
    /// Returns the result of `body`; nil when the time limit is exceeded.
    ///
    /// The thread of `body` continues after the limit.
    static func result<T: Sendable>(within patience: Duration, _ body: @escaping @Sendable () -> T) -> T? {
        let place = Place<T>()
        Thread.detachNewThread {
            let result = body()
            place.result.withLock { $0 = result }
            place.isDone.signal()
        }
        let (seconds, attoseconds) = patience.components
        let wait = DispatchTimeInterval.milliseconds(Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
        guard place.isDone.wait(timeout: .now() + wait) == .success else { return nil }
        return place.result.withLock(\.self)
    }

    private final class Place<T: Sendable>: Sendable {
        let result = Mutex<T?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }
}
