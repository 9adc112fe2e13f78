import CSQLite
package import GRDB
package import TributaryChanges
import TributaryModel

/// Cached by the connection: values must be bound, because each different text stays in memory.
///
/// An interpolated number or identifier compiles only with the label `value`, which binds it.
package struct CachedSQL: ExpressibleByStringInterpolation {
    package let text: String
    fileprivate var values: [any StatementValue] = []

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation: StringInterpolation) {
        (text, values) = (stringInterpolation.text, stringInterpolation.values)
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [any StatementValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ names: String) { text += names }

        mutating func appendInterpolation(value: some StatementValue) {
            values.append(value)
            text += "?\(values.count)"
        }

        package mutating func appendInterpolation(constant number: Int) { text += String(number) }
    }
}

/// A statement from the connection's cache must be reset after use; ``run()`` and ``first(_:)`` do so.
package final class BoundStatement {
    let pointer: OpaquePointer
    private let statement: Statement
    private let connection: OpaquePointer?
    /// The next step reports the first error of a `bind`.
    @exclusivity(unchecked) private var bindError: Int32 = SQLITE_OK

    package convenience init(_ db: Database, _ sql: CachedSQL) throws {
        try self.init(db, db.cachedStatement(sql: sql.text))
        for (index, value) in sql.values.enumerated() { value.bind(to: self, at: Int32(index + 1)) }
    }

    /// Not cached: for SQL of unlimited variety.
    package convenience init(_ db: Database, unkept sql: String) throws {
        try self.init(db, db.makeStatement(sql: sql))
    }

    private init(_ db: Database, _ statement: Statement) throws {
        self.statement = statement
        pointer = statement.sqliteStatement
        connection = db.sqliteConnection
        sqlite3_reset(pointer)
    }

    func bind(rowOf other: BoundStatement) {
        for column in 0..<sqlite3_column_count(other.pointer) {
            check(sqlite3_bind_value(pointer, column + 1, sqlite3_column_value(other.pointer, column)))
        }
    }

    func bindNull(_ index: Int32) { check(sqlite3_bind_null(pointer, index)) }

    package func bind(_ index: Int32, _ value: Int64) { check(sqlite3_bind_int64(pointer, index, value)) }

    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    func bind(_ index: Int32, _ value: Double) { check(sqlite3_bind_double(pointer, index, value)) }

    package func bind(_ index: Int32, _ id: UniqueID) {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
            id.write(to: buffer)
            check(sqlite3_bind_blob(pointer, index, buffer.baseAddress, 16, BoundStatement.copied))
        }
    }

    func bind(_ index: Int32, _ id: UniqueID?) {
        if let id { bind(index, id) } else { bindNull(index) }
    }

    package func bind(_ index: Int32, _ bytes: [UInt8]?) {
        guard let bytes else { return bindNull(index) }
        bytes.withUnsafeBytes { buffer in
            if let base = buffer.baseAddress, buffer.count > 0 {
                check(sqlite3_bind_blob64(pointer, index, base, UInt64(buffer.count), BoundStatement.copied))
            } else {
                check(sqlite3_bind_zeroblob(pointer, index, 0))
            }
        }
    }

    func bindZeros(_ index: Int32, count: Int) { check(sqlite3_bind_zeroblob64(pointer, index, UInt64(count))) }

    package func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { buffer in
            guard let base = buffer.baseAddress, buffer.count > 0 else {
                return check(sqlite3_bind_text(pointer, index, "", 0, BoundStatement.copied))
            }
            base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { characters in
                let count = Int32(clamping: buffer.count)
                check(sqlite3_bind_text(pointer, index, characters, count, BoundStatement.copied))
            }
        }
    }

    package func bind(_ index: Int32, _ text: String?) {
        if let text { bind(index, text) } else { bindNull(index) }
    }

    /// The bytes must stay unchanged until the parameter is bound again or cleared; copies would cost an import 1 %.
    @inline(__always)
    func bind(_ index: Int32, lasting bytes: UnsafeRawBufferPointer) {
        check(sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil))
    }

    /// The text must stay valid and unchanged until the parameter is bound again or cleared.
    @inline(__always)
    func bind(_ index: Int32, lastingText bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return bind(index, "") }
        let characters = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
        check(sqlite3_bind_text(pointer, index, characters, Int32(clamping: bytes.count), nil))
    }

    func clearBindings() { sqlite3_clear_bindings(pointer) }

    /// Dates are bound as seconds since 2001.
    package func bind(_ index: Int32, _ value: PropertyValue) {
        switch value {
        case .null: bindNull(index)
        case .integer(let value): bind(index, value)
        case .double(let value): bind(index, value)
        case .date(let value): bind(index, value.secondsSinceReferenceDate)
        case .boolean(let value): bind(index, Int64(value ? 1 : 0))
        case .string(let text), .decimal(let text), .uri(let text), .composite(let text): bind(index, text)
        case .uuid(let id), .reference(let id): bind(index, id)
        case .binary(let bytes): bind(index, bytes)
        case .blob(let sha256, let size): bind(index, "{\"blob\":\"\(sha256)\",\"size\":\(size)}")
        }
    }

    /// The value must fit the type, and the run must outlive the step.
    @inline(__always)
    func bind(_ index: Int32, _ cell: RowRun.Cell, of run: RowRun, as type: AttributeType) {
        switch (cell.kind, type) {
        case (.null, _): bindNull(index)
        case (.no, _): bind(index, 0 as Int64)
        case (.yes, _): bind(index, 1 as Int64)
        case (.integer, .date): bind(index, DateValue(unixSeconds: cell.integer).secondsSinceReferenceDate)
        case (.integer, .double), (.integer, .float): bind(index, Double(cell.integer))
        case (.integer, _): bind(index, cell.integer)
        case (.double, .date): bind(index, DateValue(unixSeconds: cell.double).secondsSinceReferenceDate)
        case (.number, _): bind(index, long: String(decoding: run.text(cell), as: UTF8.self), as: type)
        // The addition turns negative zero into zero, as everywhere in the store.
        case (.double, _): bind(index, cell.double + 0)
        case (.text, .uuid): bind(index, UniqueID(text: UnsafeRawBufferPointer(run.text(cell))))
        case (.text, _): bind(index, lastingText: run.text(cell))
        }
    }

    /// For numbers with more digits than a double can hold.
    @inline(never)
    private func bind(_ index: Int32, long text: String, as type: AttributeType) {
        guard let value = type.scalarValue(from: .number(text)) else { return bindNull(index) }
        bind(index, value)
    }

    func bindAll<each Value: StatementValue>(_ values: repeat each Value) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: self, at: index)
        }
    }

    func step() throws -> Bool {
        guard bindError == SQLITE_OK else {
            let code = bindError
            bindError = SQLITE_OK
            throw StoreError.database(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = StoreError.database(of: connection)
            sqlite3_reset(pointer)
            throw error
        }
    }

    func reset() { sqlite3_reset(pointer) }

    package func run() throws {
        while try step() {}
        sqlite3_reset(pointer)
    }

    package func first<T>(_ block: (BoundStatement) throws -> T) throws -> T? {
        defer { sqlite3_reset(pointer) }
        return try step() ? try block(self) : nil
    }

    package func forEach(_ block: (BoundStatement) throws -> Void) throws {
        defer { sqlite3_reset(pointer) }
        while try step() { try block(self) }
    }

    func all<T>(_ block: (BoundStatement) throws -> T?) throws -> [T] {
        var found: [T] = []
        try forEach { row in if let made = try block(row) { found.append(made) } }
        return found
    }

    package var changedRows: Int32 { sqlite3_changes(connection) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func isText(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_TEXT }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Sequences use all 64 bits, so the column may be negative.
    func sequence(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    func clock(_ column: Int32) -> HybridClock { HybridClock(rawValue: sequence(column)) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    package func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    @inline(__always)
    package func optionalText(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(pointer, column) else { return nil }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    package func withBytes<T>(_ column: Int32, _ block: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        let start = sqlite3_column_blob(pointer, column)
        let count = Int(sqlite3_column_bytes(pointer, column))
        return try block(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    package func id(_ column: Int32) -> UniqueID? {
        withBytes(column) { $0.count == 16 ? UniqueID(bytes: $0) : nil }
    }

    private func check(_ code: Int32) {
        if code != SQLITE_OK, bindError == SQLITE_OK { bindError = code }
    }

    /// SQLITE_TRANSIENT, a C macro that Swift does not import.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension BoundStatement {
    private static let argumentLimit = 32_766

    convenience init(_ db: Database, query: SQLFragment) throws {
        guard query.arguments.count <= BoundStatement.argumentLimit else {
            throw StoreError.invalidQuery(
                reason:
                    "\(query.arguments.count) values in one predicate; \(BoundStatement.argumentLimit) are the limit"
            )
        }
        do {
            try self.init(db, unkept: query.text)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw StoreError.invalidQuery(
                reason: "the predicate nests too deep or leads too far for SQLite: \(error.message ?? "\(error)")"
            )
        }
        for (index, argument) in query.arguments.enumerated() { bind(Int32(index + 1), argument) }
    }
}

protocol StatementValue {
    func bind(to statement: BoundStatement, at index: Int32)
}

extension Optional: StatementValue where Wrapped: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
    }
}

extension Int64: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, self) }
}

extension Int: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, Int64(self)) }
}

extension UInt64: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, Int64(bitPattern: self)) }
}

extension HybridClock: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, Int64(bitPattern: rawValue)) }
}

extension Double: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, self) }
}

extension String: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, self) }
}

extension UniqueID: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, self) }
}

extension Array: StatementValue where Element == UInt8 {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, self) }
}

extension PropertyValue: StatementValue {
    func bind(to statement: BoundStatement, at index: Int32) { statement.bind(index, self) }
}
