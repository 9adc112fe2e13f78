import CSQLite

/// A checkpoint by a separate connection, as any other process may run one.
package enum WALCheckpoint {
    /// Copies back the frames that no reader needs, without waiting.
    package static func run(path: String) {
        var connection: OpaquePointer?
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return }
        defer { sqlite3_close(connection) }
        sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
