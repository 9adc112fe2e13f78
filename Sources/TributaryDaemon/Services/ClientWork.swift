/// Long work for a client, which ends early when it is cancelled or when the daemon stops.
enum ClientWork {
    /// Starts the work.
    ///
    /// - Parameters:
    ///   - shutdown: Ends the work.
    ///   - body: The work.
    /// - Returns: A task that is cancelled when the client disconnects.
    static func start<T: Sendable>(
        until shutdown: ShutdownBroadcast,
        _ body: @escaping @Sendable () async throws -> T
    ) -> Task<T, any Error> {
        // The task is unstructured: it starts before the response, and is cancelled with it.
        Task {
            try await withThrowingTaskGroup(of: T?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    await shutdown.wait()
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() ?? nil else { throw CancellationError() }
                return result
            }
        }
    }
}
