import Synchronization

/// Wakes one waiting task.
///
/// A signal that is raised while no task waits is remembered once.
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
    /// Only one task may wait.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if case .waiting = state { preconditionFailure("two tasks wait for the same signal") }
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

    private static let longestWait = Duration.seconds(86_400)

    /// Returns when ``wait()`` would, at `deadline`, or after a day.
    package func wait(until deadline: Duration?, on clock: MonotonicClock) async {
        guard let deadline else { return await wait() }
        let now = clock.now()
        guard deadline > now else { return }
        // The waiting task computes its deadline again after the wait, so a timer never has to be longer.
        let end = min(deadline, now + Signal.longestWait)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { await clock.sleep(end) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Sends each element to any number of streams; a slow reader's stream drops its oldest elements.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var next: UInt64 = 0
        var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var isFinished = false
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) {
        self.limit = limit
    }

    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let number = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.readers[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }

    package func send(_ element: Element) {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.yield(element) }
    }

    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
