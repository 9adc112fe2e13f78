import CSQLite
import GRDB
import Synchronization

extension Store {
    /// Runs `body` in one SQLite transaction on the writer connection, in turn.
    ///
    /// Everything is rolled back when it throws. Blocks the calling thread until its turn is over.
    ///
    /// `committed` runs after the commit while the turn is still held, so that what it does is in the order of the
    /// commits and nobody moves a generation in between.
    package func write<T>(
        _ body: (WriteTransaction) throws -> T,
        committed: (T, WriterTurn) throws -> Void = { _, _ in }
    ) throws -> T {
        try writer.run { database in
            try checkOpen()
            return try transact(on: database, body, committed: committed)
        }
    }

    /// The same without blocking a thread while waiting for the turn.
    package func writeInTurn<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> T,
        committed: @escaping @Sendable (T, WriterTurn) throws -> Void = { _, _ in }
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            writer.enqueue { database in
                continuation.resume(
                    with: Result {
                        try self.checkOpen()
                        return try self.transact(on: database, body, committed: committed)
                    }
                )
            }
        }
    }

    /// Holds the writer's turn while `body` runs, with no transaction open.
    package func inTurn<T>(_ body: (WriterTurn) throws -> T) throws -> T {
        try writer.run { database in
            try checkOpen()
            return try body(WriterTurn(store: self, database: database))
        }
    }

    /// Returns when those who asked for the writer before have had their turns.
    package func waitForTurn() async {
        await withCheckedContinuation { continuation in
            writer.enqueue { _ in continuation.resume() }
        }
    }

    private func transact<T>(
        on database: Database,
        _ body: (WriteTransaction) throws -> T,
        committed: (T, WriterTurn) throws -> Void
    ) throws -> T {
        try StoreError.mapping {
            try checkNotTransacting()
            isTransacting.store(true, ordering: .relaxed)
            defer { isTransacting.store(false, ordering: .relaxed) }
            try database.execute(sql: "BEGIN IMMEDIATE")
            let result: T
            do {
                let transaction = WriteTransaction(reader: Reader(database: database, context: context))
                result = try body(transaction)
                try transaction.applyWaiting()
                try database.execute(sql: "COMMIT")
            } catch {
                // SQLite itself rolls back after some errors, such as a full disk.
                if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
                throw error
            }
            isTransacting.store(false, ordering: .relaxed)
            try committed(result, WriterTurn(store: self, database: database))
            return result
        }
    }
    /// The turn can be asked for again by who has it, but a transaction inside another one cannot be rolled back alone.
    ///
    /// - Throws: ``StoreError`` `database`, and leaves the transaction that is open alone.
    func checkNotTransacting() throws {
        guard isTransacting.load(ordering: .relaxed) else { return }
        throw StoreError.database(
            code: SQLITE_MISUSE,
            message: "a transaction is open in this turn: nothing else can be written until it has ended"
        )
    }
}
