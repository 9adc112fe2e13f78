import GRDB

extension Generation {
    /// Reads on the connection's queue without blocking the caller's thread; ends when the task is cancelled.
    ///
    /// - Parameters:
    ///   - timeout: how long the read may take, waiting for a connection not included; nil sets no limit.
    ///   - block: reads on the connection.
    /// - Returns: What `block` returns.
    /// - Throws: `CancellationError` when the task was cancelled, while it waited or in the middle of a statement;
    ///   ``StoreError`` `timedOut` when the time is over; what `block` throws.
    package func readInTurn<T: Sendable>(
        timeout: Duration? = nil,
        _ block: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            let (generation, connection) = try await leaseConnection()
            return try await withCheckedThrowingContinuation { continuation in
                connection.enqueue { database in
                    let result = Result {
                        try generation.reading(on: connection, timeout, cancellation, database, block)
                    }
                    generation.giveBack(connection)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func reading<T>(
        on connection: StoreConnection,
        _ timeout: Duration?,
        _ cancellation: ReadCancellation,
        _ database: Database,
        _ block: (Reader) throws -> T
    ) throws -> T {
        func read() throws -> T {
            try StoreError.mapping {
                try holding(connection) { try block(Reader(database: database, context: context)) }
            }
        }
        guard let timeout else { return try cancellation.guarding(database, read) }
        return try database.limited(to: timeout, cancellation: cancellation, read)
    }

    /// Leases a connection of this generation or of the generation that replaced it.
    ///
    /// The caller returns the connection to the generation that comes with it.
    ///
    /// - Throws: `CancellationError` when the task was cancelled while it waited.
    func leaseConnection() async throws -> (Generation, StoreConnection) {
        var generation = self
        while true {
            let signal = Signal()
            switch generation.lease(isLimited: true, wake: { { signal.raise() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .connection(let connection): return (generation, connection)
            case .wait(let place):
                await signal.wait()
                guard Task.isCancelled else { continue }
                generation.giveUp(place)
                throw CancellationError()
            }
        }
    }
}
