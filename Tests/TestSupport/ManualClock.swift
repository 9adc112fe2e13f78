import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var next: UInt64 = 0
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, watching) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    if state.now >= deadline { return (.success(()), []) }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    let watching = state.watchers.filter { $0.deadline == deadline }
                    state.watchers.removeAll { $0.deadline == deadline }
                    return (nil, watching)
                }
                if let isOver { continuation.resume(with: isOver) }
                for watcher in watching { watcher.continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else { return nil }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time and wakes the sleepers whose time has come, the earliest first.
    package func advance(to offset: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            precondition(offset >= state.now.offset, "time does not go back")
            state.now = Instant(offset: offset)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.sorted { ($0.deadline.offset, $0.number) < ($1.deadline.offset, $1.number) }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    package func advance(by duration: Duration) { advance(to: now.offset + duration) }

    /// Returns when a task sleeps until the given time.
    package func waitForSleeper(until offset: Duration) async {
        let deadline = Instant(offset: offset)
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.contains(where: { $0.deadline == deadline }) { return true }
                state.watchers.append(Watcher(deadline: deadline, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
