import Dispatch
import Synchronization

/// Searches the log folder for requested lines, and gives up on a folder that does not answer.
///
/// A search that hangs keeps its thread; when too many searches hang, values are shown without their lines.
final class LineSearch: Sendable {
    /// The maximum number of simultaneous searches.
    private static let most = 4

    private let queue = DispatchQueue(label: "tributary.lines", attributes: .concurrent)
    private let count = Atomic(0)

    /// Returns the result of `search`; nil when it takes longer than `patience`, or when too many searches are running.
    func result<T: Sendable>(within patience: Duration, _ search: @escaping @Sendable () -> T) async -> T? {
        guard count.add(1, ordering: .relaxed).newValue <= LineSearch.most else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        let (results, continuation) = AsyncStream<T>.makeStream(bufferingPolicy: .bufferingOldest(1))
        queue.async { [self] in
            continuation.yield(search())
            continuation.finish()
            count.subtract(1, ordering: .relaxed)
        }
        // The task is not structured: a task group would wait for a search that hangs.
        let limit = Task {
            try await Task.sleep(for: patience)
            continuation.finish()
        }
        defer { limit.cancel() }
        for await result in results { return result }
        return nil
    }
}
