/// Waits for work that may hang, as long as it makes progress.
enum HangingWork {
    /// Returns the result of `task`, which continues in any case; nil when `isLost` returns true before there is one.
    static func result<T: Sendable>(
        of task: Task<T, Never>,
        lookingEvery interval: Duration,
        isLost: @escaping @Sendable () -> Bool
    ) async -> T? {
        let (stream, continuation) = AsyncStream<T?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        // The tasks are unstructured: a group would wait for the task that hangs.
        Task { continuation.yield(await task.value) }
        let watch = Task {
            while !isLost() { try await Task.sleep(for: interval) }
            continuation.yield(nil)
        }
        defer { watch.cancel() }
        for await result in stream { return result }
        return nil
    }
}
