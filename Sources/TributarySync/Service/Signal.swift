import Synchronization

/// Wakes one waiting loop.
///
/// Raising it while nobody waits is remembered once; raising it twice is raising it once.
package final class Signal: Sendable {
    private enum State {
        case idle
        case raised
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    package init() {}

    package func raise() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .waiting(let continuation) = state {
                state = .idle
                return continuation
            }
            state = .raised
            return nil
        }
        waiter?.resume()
    }

    /// Returns when the signal has been raised since the last wait, or the task is cancelled.
    ///
    /// For one loop only.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    guard case .idle = state, !Task.isCancelled else {
                        state = .idle
                        return true
                    }
                    state = .waiting(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .waiting(let continuation) = state else { return nil }
                state = .idle
                return continuation
            }
            waiter?.resume()
        }
    }

    /// One longer wait ends early.
    private static let longestWait = Duration.seconds(86_400)

    /// The same, but not longer than `duration`, nor than a day; nil waits for ever.
    func wait(atMost duration: Duration?, clock: SyncClock) async {
        guard let duration else { return await wait() }
        // Whoever waits looks anew at what is due; timers need not hold what no machine lives to see.
        let longest = min(duration, Signal.longestWait)
        guard longest > .zero else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { await clock.sleep(longest) }
            await group.next()
            group.cancelAll()
        }
    }
}
