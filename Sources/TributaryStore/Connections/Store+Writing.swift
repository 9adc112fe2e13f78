import GRDB
import Synchronization

extension Store {
    /// Blocks until its turn, in FIFO order.
    ///
    /// `committed` runs while the write lock is still held, so that its effects follow the order of commits and no
    /// other thread moves a generation in between.
    package func write<T>(
        _ block: (WriteTransaction) throws -> T,
        committed: (T, HeldWriteLock) throws -> Void = { _, _ in }
    ) throws -> T {
        try locked { database in
            try checkOpen()
            return try transact(on: database, block, committed: committed)
        }
    }

    package func writeAsync<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> T,
        committed: @escaping @Sendable (T, HeldWriteLock) throws -> Void = { _, _ in }
    ) async throws -> T {
        try await lockedAsync { database in
            try self.checkOpen()
            return try self.transact(on: database, block, committed: committed)
        }
    }

    package func holdingWriteLock<T>(_ block: (HeldWriteLock) throws -> T) throws -> T {
        try locked { database in
            try checkOpen()
            return try block(HeldWriteLock(store: self, database: database))
        }
    }

    package func waitForWriteLock() async {
        try? await lockedAsync { _ in }
    }

    func lockedAsync<T: Sendable>(_ block: @escaping @Sendable (Database) throws -> T) async throws -> T {
        awaiting.add(1, ordering: .relaxed)
        return try await withCheckedThrowingContinuation { continuation in
            writer.enqueue { database in
                self.awaiting.subtract(1, ordering: .relaxed)
                continuation.resume(with: Result { try self.writeLock.holding { try block(database) } })
            }
        }
    }

    /// Throws `deadlock` instead of waiting without end.
    func locked<T>(_ block: (Database) throws -> T) throws -> T {
        if let cycle = writeLock.startWaiting() { throw StoreError.deadlock(cycle: cycle) }
        defer { writeLock.stopWaiting() }
        awaiting.add(1, ordering: .relaxed)
        return try writer.run { database in
            awaiting.subtract(1, ordering: .relaxed)
            return try writeLock.holding { try block(database) }
        }
    }

    private func transact<T>(
        on database: Database,
        _ block: (WriteTransaction) throws -> T,
        committed: (T, HeldWriteLock) throws -> Void
    ) throws -> T {
        try StoreError.mapping {
            try checkNotTransacting()
            isTransacting.store(true, ordering: .relaxed)
            defer { isTransacting.store(false, ordering: .relaxed) }
            try BoundStatement(database, "BEGIN IMMEDIATE").run()
            let result: T
            do {
                let transaction = WriteTransaction(reader: Reader(database: database, context: context))
                result = try block(transaction)
                try transaction.applyWaiting()
                try commit(transaction, on: database)
            } catch {
                // SQLite itself rolls back after some errors, such as a full disk.
                if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
                configuration.token?.giveBack()
                throw error
            }
            isTransacting.store(false, ordering: .relaxed)
            try committed(result, HeldWriteLock(store: self, database: database))
            return result
        }
    }

    private func commit(_ transaction: WriteTransaction, on database: Database) throws {
        let commit = try BoundStatement(database, "COMMIT")
        guard let token = configuration.token else { return try commit.run() }
        try token.committing(transaction) { try commit.run() }
    }

    /// The write lock is reentrant, but an inner transaction cannot be rolled back alone.
    func checkNotTransacting() throws {
        guard isTransacting.load(ordering: .relaxed) else { return }
        throw StoreError.nestedTransaction(holder: writeLock.outerHolder ?? "this thread")
    }
}
