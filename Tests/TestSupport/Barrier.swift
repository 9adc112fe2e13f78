import Foundation

/// Blocks threads until all of them have arrived.
package final class Barrier: Sendable {
    private let count: Int
    private let condition = NSCondition()
    private let arrived = Counter()

    /// Guarded by the condition.
    private final class Counter: @unchecked Sendable {
        var value = 0
    }

    package init(_ count: Int) {
        self.count = count
    }

    package func arriveAndWait() {
        condition.lock()
        defer { condition.unlock() }
        arrived.value += 1
        if arrived.value >= count { condition.broadcast() }
        while arrived.value < count { condition.wait() }
    }
}
