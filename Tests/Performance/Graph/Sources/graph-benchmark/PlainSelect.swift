import CSQLite

/// The reference for fetching: one prepared statement over the rows with SQLite's C interface.
final class PlainSelect {
    struct Failure: Error {
        var message: String
    }

    /// The values of a row that a program reads.
    struct Row {
        var id: (UInt64, UInt64)
        var name: String
        var note: String
        var salary: Double
        var hired: Double
        var badge: Int64
        var active: Bool
    }

    private var database: OpaquePointer?

    init(path: String) throws {
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
            throw failure()
        }
    }

    deinit { sqlite3_close(database) }

    func rows() throws -> [Row] {
        var rows: [Row] = []
        try forEach("SELECT _id, name, note, salary, hired, badge, active FROM Employee") { statement in
            rows.append(
                Row(
                    id: PlainSelect.id(statement, 0),
                    name: PlainSelect.text(statement, 1),
                    note: PlainSelect.text(statement, 2),
                    salary: sqlite3_column_double(statement, 3),
                    hired: sqlite3_column_double(statement, 4),
                    badge: sqlite3_column_int64(statement, 5),
                    active: sqlite3_column_int(statement, 6) != 0
                )
            )
        }
        return rows
    }

    func ids() throws -> [(UInt64, UInt64)] {
        var ids: [(UInt64, UInt64)] = []
        try forEach("SELECT _id FROM Employee") { ids.append(PlainSelect.id($0, 0)) }
        return ids
    }

    private func forEach(_ text: String, _ body: (OpaquePointer?) -> Void) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, text, -1, &statement, nil) == SQLITE_OK else { throw failure() }
        defer { sqlite3_finalize(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(statement)
            case SQLITE_DONE: return
            default: throw failure()
            }
        }
    }

    private static func id(_ statement: OpaquePointer?, _ column: Int32) -> (UInt64, UInt64) {
        guard let bytes = sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column) == 16 else {
            return (0, 0)
        }
        return (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    private static func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }
}
