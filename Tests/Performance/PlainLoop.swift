import CSQLite
import TributaryChanges

/// The reference for the import: a loop over SQLite's C interface with prepared statements.
///
/// Columns, settings and the number of changes in a transaction are those of the import; the loop reads no log and
/// keeps no versions.
final class PlainLoop {
    struct Failure: Error {
        var message: String
    }

    /// The number of changes that the importer commits at once.
    static let transactionRows = 20_000

    private let workload: Workload
    private var database: OpaquePointer?
    /// The rows as bytes and numbers, made before the clock runs.
    private let identifiers: [[UInt8]]
    private let names: [[UInt8]]
    private let notes: [[UInt8]]

    init(path: String, workload: Workload) throws {
        self.workload = workload
        identifiers = workload.ids.map { id in
            [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
                id.write(to: UnsafeMutableRawBufferPointer(buffer))
                count = 16
            }
        }
        names = (0..<workload.count).map { Array(workload.name($0).utf8) }
        notes = (0..<workload.count).map { Array(workload.note($0).utf8) }
        try check(sqlite3_open(path, &database))
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536")
        try execute(
            """
            CREATE TABLE IF NOT EXISTS Employee(
                _id BLOB NOT NULL UNIQUE, name TEXT, note TEXT, salary REAL, hired REAL, badge INTEGER, active INTEGER)
            """
        )
    }

    func insertAll() throws {
        let statement = try prepare(
            "INSERT INTO Employee(_id, name, note, salary, hired, badge, active) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        defer { sqlite3_finalize(statement) }
        try inTransactions { index in
            bind(identifiers[index], to: 1, of: statement)
            bind(text: names[index], to: 2, of: statement)
            bind(text: notes[index], to: 3, of: statement)
            sqlite3_bind_double(statement, 4, workload.salary(index))
            sqlite3_bind_double(statement, 5, workload.hired(index))
            sqlite3_bind_int64(statement, 6, workload.badge(index))
            sqlite3_bind_int64(statement, 7, workload.isActive(index) ? 1 : 0)
            try step(statement)
        }
    }

    func updateAll() throws {
        let statement = try prepare("UPDATE Employee SET salary = ? WHERE _id = ?")
        defer { sqlite3_finalize(statement) }
        try inTransactions { position in
            let index = workload.updateOrder[position]
            sqlite3_bind_double(statement, 1, workload.raisedSalary(index))
            bind(identifiers[index], to: 2, of: statement)
            try step(statement)
        }
    }

    /// Checkpoints and closes, as closing a store does.
    func close() throws {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try check(sqlite3_close(database))
        database = nil
    }

    private func inTransactions(_ row: (Int) throws -> Void) throws {
        for start in stride(from: 0, to: workload.count, by: Self.transactionRows) {
            try execute("BEGIN IMMEDIATE")
            for index in start..<min(workload.count, start + Self.transactionRows) { try row(index) }
            try execute("COMMIT")
        }
    }

    /// The bytes outlive the step, so SQLite need not copy them.
    private func bind(_ bytes: [UInt8], to index: Int32, of statement: OpaquePointer?) {
        _ = bytes.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), nil) }
    }

    private func bind(text: [UInt8], to index: Int32, of statement: OpaquePointer?) {
        _ = text.withUnsafeBytes { bytes in
            let characters = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            return sqlite3_bind_text(statement, index, characters, Int32(bytes.count), nil)
        }
    }

    private func step(_ statement: OpaquePointer?) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
        sqlite3_reset(statement)
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
        return statement
    }

    private func execute(_ text: String) throws { try check(sqlite3_exec(database, text, nil, nil, nil)) }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else { throw failure() }
    }

    private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }
}
