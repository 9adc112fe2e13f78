extension Generation {
    /// Reads on the connection's queue, without blocking a thread of the caller's; ends when the task is cancelled.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, also in the middle of a statement.
    package func readInTurn<T: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            let (generation, connection) = try await leaseConnection()
            return try await withCheckedThrowingContinuation { continuation in
                connection.enqueue { database in
                    let result = Result {
                        try cancellation.guarding(database) {
                            try StoreError.mapping {
                                try generation.holding(connection) {
                                    try body(Reader(database: database, context: generation.context))
                                }
                            }
                        }
                    }
                    generation.giveBack(connection)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// A connection of this generation or of the one it was moved to; give it back to the generation it came with.
    ///
    /// - Throws: `CancellationError` when the task was cancelled while it waited.
    func leaseConnection() async throws -> (Generation, StoreConnection) {
        var generation = self
        while true {
            let signal = WakeSignal()
            switch generation.lease(isLimited: true, wake: { { signal.wake() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .connection(let connection): return (generation, connection)
            case .wait(let place):
                await withTaskCancellationHandler {
                    await signal.wait()
                } onCancel: {
                    signal.wake()
                }
                guard Task.isCancelled else { continue }
                generation.giveUp(place)
                throw CancellationError()
            }
        }
    }
}
