import Synchronization

/// Tells everyone who waits that the daemon says goodbye.
final class Farewell: Sendable {
    private struct State {
        var isSaid = false
        var next = 0
        var waiters: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Ends all waiting, now and later.
    func say() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.isSaid = true
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Waits for the goodbye, or until the task is cancelled.
    func wait() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let number = state.withLock { state -> Int? in
            guard !state.isSaid else { return nil }
            defer { state.next += 1 }
            state.waiters[state.next] = continuation
            return state.next
        }
        guard let number else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiters.removeValue(forKey: number) }
    }
}
