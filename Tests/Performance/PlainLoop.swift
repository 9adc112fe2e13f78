import CSQLite
import TributaryChanges

/// The reference for the import: a loop over SQLite's C interface with prepared statements.
///
/// Tables, indexes, the connection's settings and the number of changes in a transaction are those of the import, which
/// also switches off SQLite's account of its memory; the loop reads no log and keeps no versions and no history.
final class PlainLoop {
    struct Failure: Error {
        var message: String
    }

    /// The number of changes that the importer commits at once.
    static let transactionRows = 20_000

    private static let tables = """
        PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -24576; PRAGMA temp_store = MEMORY;
        CREATE TABLE IF NOT EXISTS Employee(
            _id BLOB NOT NULL UNIQUE, name TEXT, note TEXT, salary REAL, hired REAL, badge INTEGER, active INTEGER);
        CREATE TABLE IF NOT EXISTS Member(_id BLOB NOT NULL UNIQUE, name TEXT, team BLOB);
        CREATE INDEX IF NOT EXISTS Member_team ON Member(team) WHERE team IS NOT NULL;
        CREATE TABLE IF NOT EXISTS Team(_id BLOB NOT NULL UNIQUE, name TEXT);
        CREATE TABLE IF NOT EXISTS Course(_id BLOB NOT NULL UNIQUE, name TEXT);
        CREATE TABLE IF NOT EXISTS Course_members(
            _source BLOB NOT NULL, _target BLOB NOT NULL, PRIMARY KEY (_source, _target)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS Course_members_target ON Course_members(_target);
        """

    private var database: OpaquePointer?

    init(path: String) throws {
        // Used by one thread at a time, as the store's connection is, and without a mutex like that one.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        try check(sqlite3_open_v2(path, &database, flags, nil))
        try execute(Self.tables)
    }

    deinit { sqlite3_close(database) }

    /// Does the work, whose rows were made before the clock runs, in transactions of ``transactionRows``.
    func run(_ statement: String, rows: [[PlainValue]], transactionRows: Int = PlainLoop.transactionRows) throws {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v2(database, statement, -1, &prepared, nil))
        defer { sqlite3_finalize(prepared) }
        for start in stride(from: 0, to: rows.count, by: transactionRows) {
            try execute("BEGIN IMMEDIATE")
            for row in start..<min(rows.count, start + transactionRows) {
                for (place, value) in rows[row].enumerated() { value.bind(to: Int32(place + 1), of: prepared) }
                guard sqlite3_step(prepared) == SQLITE_DONE else { throw failure() }
                sqlite3_reset(prepared)
            }
            try execute("COMMIT")
        }
    }

    /// Checks that the tables have the same rows as a store's.
    ///
    /// A store keeps a date as seconds since 2001, so that one of seven decimals may come back as its neighbour.
    func verify(against store: String) throws {
        try execute("ATTACH '\(store)' AS store")
        let tables = [
            "Employee": "_id name note salary badge active", "Member": "_id name team", "Team": "_id name",
            "Course": "_id name", "Course_members": "_source _target",
        ]
        for (table, columns) in tables {
            var terms = columns.split(separator: " ").map { "a.\($0) IS b.\($0)" }
            if table == "Employee" { terms.append("abs(a.hired - b.hired) < 3e-7") }
            let same = try number(
                "SELECT count(*) FROM main.\(table) a JOIN store.\(table) b ON \(terms.joined(separator: " AND "))"
            )
            let counts = try ["main", "store"].map { try number("SELECT count(*) FROM \($0).\(table)") }
            guard counts == [same, same] else {
                throw Failure(message: "\(table): \(counts[0]) rows, \(counts[1]) in the store, \(same) are the same")
            }
        }
        try execute("DETACH store")
    }

    /// Checkpoints and closes, as closing a store does.
    func close() throws {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try check(sqlite3_close(database))
        database = nil
    }

    private func number(_ query: String) throws -> Int {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v2(database, query, -1, &prepared, nil))
        defer { sqlite3_finalize(prepared) }
        guard sqlite3_step(prepared) == SQLITE_ROW else { throw failure() }
        return Int(sqlite3_column_int64(prepared, 0))
    }

    private func execute(_ text: String) throws { try check(sqlite3_exec(database, text, nil, nil, nil)) }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else { throw failure() }
    }

    private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }
}

/// A value as SQLite takes it; its bytes outlive the step, so SQLite need not copy them.
enum PlainValue {
    case blob([UInt8])
    case text([UInt8])
    case real(Double)
    case integer(Int64)

    init(_ id: UniqueID) {
        self = .blob(
            [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
                id.write(to: UnsafeMutableRawBufferPointer(buffer))
                count = 16
            }
        )
    }

    init(_ text: String) { self = .text(Array(text.utf8)) }

    func bind(to place: Int32, of statement: OpaquePointer?) {
        switch self {
        case .blob(let bytes):
            _ = bytes.withUnsafeBytes { sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), nil) }
        case .text(let bytes):
            _ = bytes.withUnsafeBytes { bytes in
                let characters = bytes.assumingMemoryBound(to: CChar.self).baseAddress
                return sqlite3_bind_text(statement, place, characters, Int32(bytes.count), nil)
            }
        case .real(let value): sqlite3_bind_double(statement, place, value)
        case .integer(let value): sqlite3_bind_int64(statement, place, value)
        }
    }
}
