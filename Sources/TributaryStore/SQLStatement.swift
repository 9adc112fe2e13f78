import CSQLite
import GRDB
import TributaryChanges

/// A statement of the connection's cache, bound and read without a detour.
///
/// Values are stored as CONTRACTS says: booleans 0 and 1, dates Unix seconds, decimals text, UUIDs and references 16
/// bytes. A blob that lies beside the log is the text `{"blob":"<sha256>","size":N}` in a column of bytes.
struct SQLStatement {
    let handle: OpaquePointer
    private let owner: Statement
    private let connection: OpaquePointer?

    /// Prepares the statement, or takes it from the cache, where it is not to be in use already.
    init(_ sql: String, in database: Database) throws {
        owner = try database.cachedStatement(sql: sql)
        handle = owner.sqliteStatement
        connection = database.sqliteConnection
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // MARK: Binding, from 1 on

    func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

    func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

    func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

    func bind(_ text: String, at index: Int32) {
        var text = text
        text.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) { chars in
                // A null pointer would be NULL.
                guard let start = chars.baseAddress else {
                    return sqlite3_bind_text(handle, index, "", 0, sqliteCopies)
                }
                return sqlite3_bind_text(handle, index, start, Int32(chars.count), sqliteCopies)
            }
        }
    }

    func bind(_ bytes: [UInt8], at index: Int32) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(handle, index, 0)
        } else {
            bytes.withUnsafeBytes { buffer in
                _ = sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count), sqliteCopies)
            }
        }
    }

    func bind(_ id: UniqueID, at index: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
            id.write(to: buffer)
            _ = sqlite3_bind_blob(handle, index, buffer.baseAddress, 16, sqliteCopies)
        }
    }

    func bind(_ value: PropertyValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let number): bind(number, at: index)
        case .double(let number), .date(let number): bind(number, at: index)
        case .boolean(let flag): bind(flag ? 1 : 0 as Int64, at: index)
        case .string(let text), .decimal(let text), .uri(let text), .composite(let text): bind(text, at: index)
        case .uuid(let id), .reference(let id): bind(id, at: index)
        case .binary(let bytes): bind(bytes, at: index)
        case .blob(let sha256, let size): bind("{\"blob\":\"\(sha256)\",\"size\":\(size)}", at: index)
        }
    }

    // MARK: Running

    /// Goes to the next row; false at the end, when the statement is reset.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let error = StoreError.database(of: connection)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Ends a run before its last row; without it, the statement would hold its snapshot.
    func reset() { sqlite3_reset(handle) }

    // MARK: Columns, from 0 on

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func text(_ column: Int32) -> String {
        let start = sqlite3_column_text(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Nil for anything but 16 bytes.
    func id(_ column: Int32) -> UniqueID? {
        let start = sqlite3_column_blob(handle, column)
        guard let start, sqlite3_column_bytes(handle, column) == 16 else { return nil }
        return UniqueID(bytes: UnsafeRawBufferPointer(start: start, count: 16))
    }
}

/// SQLite copies what it is given.
let sqliteCopies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
