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

    /// Writes the present state into a new file, with the large binaries beside the store, while others go on writing.
    ///
    /// - Parameters:
    ///   - path: The file, which must not exist; its folder needs room for the whole store.
    ///   - progress: Receives the number of copied pages and that of all pages.
    /// - Returns: The number of large binaries that the copy lacks, because their files are missing or damaged.
    /// - Throws: ``StoreError``, and `CancellationError` when the task was cancelled.
    package func copy(
        to path: String,
        progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void
    ) async throws -> Int {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            try await readAside { reader in
                try StoreCopy(source: reader, path: path, cancellation: cancellation, progress: progress).run()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
