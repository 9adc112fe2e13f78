package import TributaryStore

extension PersistentContainer {
    /// Applies log transactions in one SQLite transaction, in the writer's turn, and announces them.
    package func importTransactions<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try await pipeline.activities.show("Importing") {
            try await pipeline.importing(body)
        }
    }
}
