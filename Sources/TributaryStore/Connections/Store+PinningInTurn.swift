extension Store {
    /// Pins the current state with one connection, like `move(from:connections:)`, without blocking a thread while it waits for the write lock.
    package func pinInTurn() async throws -> Generation {
        try await withCheckedThrowingContinuation { continuation in
            writer.enqueue { database in
                let result = Result {
                    try self.writeLock.holding {
                        try self.checkOpen()
                        return try WriterTurn(store: self, database: database).move(from: nil, connections: 1)
                    }
                }
                continuation.resume(with: result)
            }
        }
    }
}
