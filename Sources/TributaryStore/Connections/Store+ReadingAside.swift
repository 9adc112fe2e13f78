import GRDB

extension Store {
    /// Reads the state that is committed at the beginning, on a connection of its own that no other reader waits for.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, also in the middle of a statement.
    package func readAside<T: Sendable>(_ block: @escaping @Sendable (Reader) throws -> T) async throws -> T {
        let cancellation = ReadCancellation()
        let connection = try readers.lend()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                connection.enqueue { [self] database in
                    let result = Result {
                        try cancellation.guarding(database) {
                            try StoreError.mapping {
                                try database.execute(sql: "BEGIN DEFERRED")
                                return try block(Reader(database: database, context: context))
                            }
                        }
                    }
                    readers.giveBack(connection)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
