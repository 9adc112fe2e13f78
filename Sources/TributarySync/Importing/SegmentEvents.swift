import Synchronization

/// Hands state changes of segments to any number of listeners; a slow one loses its oldest.
final class SegmentEvents: Sendable {
    private struct State {
        var next = 0
        var listeners: [Int: AsyncStream<SegmentStatus>.Continuation] = [:]
        var isFinished = false
    }

    private static let limit = 256
    private let state = Mutex(State())

    /// What happens from now on; a stream that is asked for after the end has ended.
    func stream() -> AsyncStream<SegmentStatus> {
        let (stream, continuation) = AsyncStream<SegmentStatus>.makeStream(
            bufferingPolicy: .bufferingNewest(SegmentEvents.limit)
        )
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ news: [SegmentStatus]) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners {
            for status in news { listener.yield(status) }
        }
    }

    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
