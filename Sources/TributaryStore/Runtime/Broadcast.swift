import Synchronization

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

    /// A stream of the elements from now on; a stream that is requested after the end has ended.
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
