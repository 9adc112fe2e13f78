import Synchronization

/// Counts the bodies that were accepted and have not ended, and lets others wait until there are none.
package final class PendingBodies: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    package func begin() {
        state.withLock { $0.count += 1 }
    }

    package func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            precondition(state.count >= 0, "a body ended twice")
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no body is pending.
    package func waitForNone() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isDone { continuation.resume() }
        }
    }
}
