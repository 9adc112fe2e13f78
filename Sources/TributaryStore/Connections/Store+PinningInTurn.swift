extension Store {
    /// Pins the current state like `pin`, without blocking a thread while it waits for the write lock.
    package func pinInTurn(connections: Int = 1) async throws -> Generation {
        try await withCheckedThrowingContinuation { continuation in
            writer.enqueue { database in
                let result = Result {
                    try self.writeLock.holding {
                        try self.checkOpen()
                        return try WriterTurn(store: self, database: database).move(from: nil, connections: connections)
                    }
                }
                continuation.resume(with: result)
            }
        }
    }
}
