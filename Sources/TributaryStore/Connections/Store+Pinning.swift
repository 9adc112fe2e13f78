import CSQLite
import GRDB

extension Store {
    /// Pins the current state as a generation, which does not change while others write, in place of `old`.
    ///
    /// Blocks until the write lock is free.
    ///
    /// SQLite cannot restart the WAL while a generation is pinned, so the WAL grows with every write: keep a generation
    /// only for one piece of work, or move it from time to time. The number of simultaneous reads is limited by
    /// `connections`.
    package func move(from old: Generation?, connections: Int) throws -> Generation {
        try locked { database in
            try checkOpen()
            return try HeldWriteLock(store: self, database: database).move(from: old, connections: connections)
        }
    }

    /// Pins like `move(from:connections:)`, with one connection, and blocks no thread while it waits for the lock.
    package func pinAsync() async throws -> Generation {
        try await lockedAsync { database in
            try self.checkOpen()
            return try HeldWriteLock(store: self, database: database).move(from: nil, connections: 1)
        }
    }
}

extension HeldWriteLock {
    /// Moves from `old` to the newest state with the write lock held: release, pin, checkpoint, pin again.
    ///
    /// The release comes first because it keeps the WAL short: once the whole WAL is copied back, the new generation
    /// reads only the store's file, and the next writer restarts the WAL. The checkpoint waits for the disk, but reads
    /// do not wait for it: a temporary generation of the same state serves them and is released afterwards. A holder of
    /// `old` that reads later reads the new generation. A read that has begun continues undisturbed, and its connection
    /// returns when it ends.
    package func move(from old: Generation?, connections: Int) throws -> Generation {
        try StoreError.mapping {
            try store.checkNotTransacting()
            let isFileLong = store.meter.isFileLong(of: store.configuration.path)
            guard isFileLong || store.meter.frameCount >= WALMeter.checkpointFrames else {
                return try replace(old, connections: connections)
            }
            let between = try replace(old, connections: connections)
            guard store.meter.checkpoint(database.sqliteConnection, SQLITE_CHECKPOINT_PASSIVE) else { return between }
            return try replace(between, connections: connections) {
                if isFileLong { store.meter.truncate(database.sqliteConnection) }
            }
        }
    }

    private func replace(
        _ old: Generation?,
        connections: Int,
        released: () -> Void = {}
    ) throws -> Generation {
        old?.release()
        released()
        do {
            let generation = try pin(connections: connections)
            old?.retire(to: generation)
            return generation
        } catch {
            old?.fail()
            throw error
        }
    }

    private func pin(connections count: Int) throws -> Generation {
        // Prevents other processes from committing while the connections begin one after another.
        try database.execute(sql: "BEGIN IMMEDIATE")
        defer { try? database.execute(sql: "ROLLBACK") }
        var connections: [StoreConnection] = []
        var number: Int64 = 0
        do {
            for _ in 0..<max(count, 1) {
                let connection = try store.readers.lend()
                connections.append(connection)
                number = try connection.run { database in
                    try database.execute(sql: "BEGIN DEFERRED")
                    return try Reader(database: database, context: store.context).history.newestTransaction()
                }
            }
        } catch {
            for connection in connections { store.readers.giveBack(connection) }
            throw error
        }
        return Generation(number: number, connections: connections, pool: store.readers, context: store.context)
    }
}

extension Store {
    /// Reads the state that is committed at the beginning, on a separate connection that delays no other reader.
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

    /// Writes the present state into a new file, with the large binaries beside the store, while other writes continue.
    ///
    /// - Parameters:
    ///   - path: The file, which must not exist; its folder needs room for the whole store.
    ///   - progress: Receives the number of copied pages and the number of all pages.
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
