import Foundation

/// Runs `body`, which may block, on a thread of its own.
package func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}

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

/// Limits the number of simultaneous operations; the others wait in FIFO order.
package actor Turnstile {
    private var freePlaces: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(places: Int) {
        freePlaces = places
    }

    /// Runs `body` once the limit allows it.
    package func pass<T: Sendable>(_ body: @concurrent @Sendable () async throws -> T) async rethrows -> T {
        if freePlaces > 0 {
            freePlaces -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        if waiting.isEmpty {
            freePlaces += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
