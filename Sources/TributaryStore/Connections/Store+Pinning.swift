import CSQLite
import GRDB

extension Store {
    /// A generation of the store as of now, which stays as it is while others write.
    ///
    /// Blocks until the writer's turn.
    ///
    /// While it is held the WAL cannot begin anew, so it grows with everything that is written: hold it for the length
    /// of a piece of work, or move it from time to time. As many reads may run at once as it has connections.
    package func pin(connections: Int = 1) throws -> Generation {
        try move(from: nil, connections: connections)
    }

    /// The newest generation in place of `old`, in the writer's turn, for which it waits.
    package func move(from old: Generation?, connections: Int) throws -> Generation {
        try locked { database in
            try checkOpen()
            return try WriterTurn(store: self, database: database).move(from: old, connections: connections)
        }
    }
}

extension WriterTurn {
    /// Moves from `old` to the newest state: release, pin, copy the WAL back, pin again, with the writer held.
    ///
    /// Releasing first is what keeps the WAL short: with all of it copied back, the new generation reads the store's
    /// file alone and the next writer begins the WAL anew. Copying waits for the disk, and reads do not wait for that:
    /// they go to a generation of the same state, which is released in turn. Whoever still holds `old` and reads it
    /// later reads the new generation; a read that has begun goes on undisturbed, and its connection comes back when it
    /// ends.
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

    /// A new generation in place of `old`; `released` runs while neither is pinned.
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
        // Keeps other processes from committing while the connections begin one after another.
        try database.execute(sql: "BEGIN IMMEDIATE")
        defer { try? database.execute(sql: "ROLLBACK") }
        var connections: [StoreConnection] = []
        var number: Int64 = 0
        do {
            for _ in 0..<max(count, 1) {
                let connection = try store.readers.take()
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
