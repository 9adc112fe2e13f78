import CSQLite
import GRDB

extension Store {
    /// The WAL grows until the generation moves, because SQLite cannot restart it while a generation is pinned.
    package func move(from old: Generation?, connections: Int) throws -> Generation {
        try locked { database in
            try checkOpen()
            return try HeldWriteLock(store: self, database: database).move(from: old, connections: connections)
        }
    }

    package func pinAsync() async throws -> Generation {
        try await lockedAsync { database in
            try self.checkOpen()
            return try HeldWriteLock(store: self, database: database).move(from: nil, connections: 1)
        }
    }
}

extension HeldWriteLock {
    /// Moves from `old` to the newest state: release, pin, checkpoint, pin again.
    ///
    /// Releasing `old` first lets the checkpoint copy the whole WAL, so that the next writer restarts it. A temporary
    /// generation serves reads while the checkpoint waits for the disk. Reads that have begun continue on the old
    /// state.
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
    /// Reads on a separate connection, which delays no other reader.
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

    /// Returns the number of large binaries that the copy lacks because they are missing or damaged.
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
