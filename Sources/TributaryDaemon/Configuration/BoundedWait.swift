import Dispatch
import Foundation
import Synchronization

/// Waits for a system call that may never return, up to a time limit.
enum BoundedWait {
    /// Returns the result of `body`; nil when the time limit is exceeded.
    static func result<T: Sendable>(within timeLimit: Duration, _ body: @escaping @Sendable () -> T) -> T? {
        let box = ResultBox<T>()
        Thread.detachNewThread {
            let result = body()
            box.result.withLock { $0 = result }
            box.isDone.signal()
        }
        let (seconds, attoseconds) = timeLimit.components
        let wait = DispatchTimeInterval.milliseconds(Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
        guard box.isDone.wait(timeout: .now() + wait) == .success else { return nil }
        return box.result.withLock(\.self)
    }

    private final class ResultBox<T: Sendable>: Sendable {
        let result = Mutex<T?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }
}
