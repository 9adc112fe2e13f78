import Dispatch

extension Generation {
    /// Reads at this generation; may be called from any thread, blocks while its connections are busy.
    package func read<T>(_ body: (Reader) throws -> T) throws -> T {
        try blockingRead(isLimited: false) { connection in
            try connection.run { database in
                try StoreError.mapping { try body(Reader(database: database, context: self.context)) }
            }
        }
    }

    /// Reads for at most the given time, waiting for a connection not included.
    ///
    /// - Throws: `StoreError.timedOut` when the time is over.
    package func read<T>(timeout: Duration, _ body: (Reader) throws -> T) throws -> T {
        try blockingRead(isLimited: true) { connection in
            try connection.run { database in
                try database.limited(to: timeout) {
                    try StoreError.mapping { try body(Reader(database: database, context: self.context)) }
                }
            }
        }
    }

    /// The same without blocking a thread of the caller's: the body runs on the connection's queue.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, while it waited or in the middle of a statement.
    package func readInTurn<T: Sendable>(
        timeout: Duration,
        _ body: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            let (generation, connection) = try await leaseConnection()
            return try await withCheckedThrowingContinuation { continuation in
                connection.enqueue { database in
                    let result = Result {
                        try database.limited(to: timeout, cancellation: cancellation) {
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

    private func blockingRead<T>(isLimited: Bool, _ body: (StoreConnection) throws -> T) throws -> T {
        var generation = self
        while true {
            if let held = generation.held() { return try body(held) }
            let semaphore = DispatchSemaphore(value: 0)
            switch generation.lease(isLimited: isLimited, wake: { { _ = semaphore.signal() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .wait: semaphore.wait()
            case .connection(let connection):
                defer { generation.giveBack(connection) }
                return try generation.holding(connection) { try body(connection) }
            }
        }
    }
}
