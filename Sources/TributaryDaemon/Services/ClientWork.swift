import NIOCore

/// Long work for a client, which ends early when the client disconnects or when the daemon stops.
enum ClientWork {
    /// Starts the work.
    ///
    /// - Parameters:
    ///   - channel: The client's connection.
    ///   - shutdown: Ends the work.
    ///   - body: The work.
    /// - Returns: A task that is cancelled when the client disconnects.
    static func start<T: Sendable>(
        for channel: any Channel,
        until shutdown: ShutdownBroadcast,
        _ body: @escaping @Sendable () async throws -> T
    ) -> Task<T, any Error> {
        // The task is unstructured: it starts before the response, and is cancelled with the connection.
        let work = Task {
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
        channel.closeFuture.whenComplete { _ in work.cancel() }
        return work
    }
}
