/// Waits for work that may hang, and not longer than it makes progress.
enum HangingWork {
    /// The result of `task`; nil when `isLost` says so before it has one.
    ///
    /// The task is not cancelled and goes on by itself.
    static func result<T: Sendable>(
        of task: Task<T, Never>,
        lookingEvery interval: Duration,
        isLost: @escaping @Sendable () -> Bool
    ) async -> T? {
        let (stream, continuation) = AsyncStream<T?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        // Neither is structured: a group would wait for the task that hangs.
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
