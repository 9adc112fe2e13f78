import Synchronization

/// Wakes one waiting task.
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
    /// For one task only.
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

    /// Returns as ``wait()`` does, or when the clock shows `deadline`, at the latest after a day.
    ///
    /// - Parameters:
    ///   - deadline: nil waits for ever; a time that is over does not wait.
    ///   - clock: tells the time.
    package func wait(until deadline: Duration?, on clock: MonotonicClock) async {
        guard let deadline else { return await wait() }
        let now = clock.now()
        guard deadline > now else { return }
        // Whoever waits looks anew at what is due; timers need not hold what no machine lives to see.
        let end = min(deadline, now + Signal.longestWait)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { await clock.sleep(end) }
            await group.next()
            group.cancelAll()
        }
    }
}
