import CSQLite

/// Another program that has begun to write to a store and does not end.
package final class StoreHolder {
    private var connection: OpaquePointer?

    package init(_ path: String) throws {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure }
        sqlite3_busy_timeout(connection, 60_000)
        guard sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private var failure: PlainSQL.Failure { .init(message: String(cString: sqlite3_errmsg(connection))) }

    deinit { sqlite3_close(connection) }
}
