import CSQLite

/// Reads a store in the way that any program may: read-only, with plain SQL.
///
/// A test that needs a different store can also change one.
package struct PlainSQL: Sendable {
    package struct Failure: Error {
        package var message: String
    }

    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// The rows of a query; each column in SQLite's text form, nil for NULL, blobs in hexadecimal.
    package func rows(_ query: String) throws -> [[String?]] {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(connection)))
        }
        sqlite3_busy_timeout(connection, 60_000)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(connection)))
        }
        var rows: [[String?]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { text(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw Failure(message: String(cString: sqlite3_errmsg(connection)))
            }
        }
    }

    package func value(_ query: String) throws -> String? {
        try rows(query).first?.first ?? nil
    }

    package func execute(_ statements: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_busy_timeout(connection, 60_000) == SQLITE_OK,
            sqlite3_exec(connection, statements, nil, nil, nil) == SQLITE_OK
        else { throw Failure(message: String(cString: sqlite3_errmsg(connection))) }
    }

    private func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
        if sqlite3_column_type(statement, column) == SQLITE_BLOB {
            let count = Int(sqlite3_column_bytes(statement, column))
            let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)
            return bytes.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
        return sqlite3_column_text(statement, column).map { String(cString: $0) }
    }
}

/// Another program that has begun to write to a store, or to read it, and does not end.
package final class StoreHolder {
    private var connection: OpaquePointer?

    package init(_ path: String, begins: String = "BEGIN IMMEDIATE") throws {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure }
        sqlite3_busy_timeout(connection, 60_000)
        guard sqlite3_exec(connection, begins, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    package static func reading(_ path: String) throws -> StoreHolder {
        try StoreHolder(path, begins: "BEGIN; SELECT count(*) FROM sqlite_schema")
    }

    private var failure: PlainSQL.Failure { .init(message: String(cString: sqlite3_errmsg(connection))) }

    deinit { sqlite3_close(connection) }
}

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
