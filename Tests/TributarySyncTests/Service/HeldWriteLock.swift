import Dispatch
import TestSupport
import TributaryStore

/// Holds the write lock of a store on a thread of its own.
final class HeldWriteLock: Sendable {
    private let task: Task<Void, any Error>
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ store: Store) async {
        let (isHeld, begun) = AsyncStream<Void>.makeStream()
        // `release()` ends the task.
        task = Task { [semaphore] in
            try await onThread {
                defer { begun.finish() }
                try store.inTurn { _ in
                    begun.finish()
                    semaphore.wait()
                }
            }
        }
        for await _ in isHeld {}
    }

    func release() async throws {
        semaphore.signal()
        try await task.value
    }
}
