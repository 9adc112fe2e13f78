import CSQLite
import GRDB
// The compiler assigns the members of SQLite's structs to the module through which it reads SQLite's header first.
import GRDBSQLite

/// The table `tributary_values(?)` of packed values; `x IN tributary_values(?)` uses an index on `x`.
enum ValueListTable {
    static let name = "tributary_values"

    /// SQLite requires that its own part comes first.
    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        var values: Unmanaged<Values>?
    }

    private final class Values {
        var packed: PackedValues
        init(_ packed: PackedValues) {
            self.packed = packed
        }
    }

    private typealias Module = UnsafeMutablePointer<sqlite3_module>

    /// All connections share the module for the life of the process.
    private nonisolated(unsafe) static let module: Module = {
        let module = Module.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        module.pointee.xConnect = { connection, _, _, _, table, _ in
            let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(value, packed HIDDEN)")
            guard code == SQLITE_OK else { return code }
            let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            made.initialize(to: sqlite3_vtab())
            table?.pointee = made
            return SQLITE_OK
        }
        module.pointee.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xBestIndex = { ValueListTable.plan($1) }
        module.pointee.xOpen = { _, cursor in
            let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            made.initialize(to: Cursor())
            cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            guard let cursor = ValueListTable.cursor(cursor) else { return SQLITE_OK }
            cursor.pointee.values?.release()
            cursor.deallocate()
            return SQLITE_OK
        }
        module.pointee.xFilter = { cursor, _, _, count, arguments in
            guard let cursor = ValueListTable.cursor(cursor) else { return SQLITE_ERROR }
            cursor.pointee.values?.release()
            let value = count > 0 ? arguments?[0] : nil
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_value_blob(value),
                count: Int(sqlite3_value_bytes(value))
            )
            cursor.pointee.values = Unmanaged.passRetained(Values(PackedValues(reading: Array(bytes))))
            return SQLITE_OK
        }
        module.pointee.xNext = { cursor in
            ValueListTable.values(cursor)?.packed.advance()
            return SQLITE_OK
        }
        module.pointee.xEof = { ValueListTable.values($0)?.packed.isAtEnd == false ? 0 : 1 }
        module.pointee.xColumn = { cursor, context, column in
            if column == 0 {
                ValueListTable.values(cursor)?.packed.setResult(of: context)
            } else {
                sqlite3_result_null(context)
            }
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, rowid in
            rowid?.pointee = ValueListTable.values(cursor)?.packed.count ?? 0
            return SQLITE_OK
        }
        return module
    }()

    static func register(in database: Database) throws {
        let code = sqlite3_create_module_v2(database.sqliteConnection, name, module, nil, nil)
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
    }

    private static func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
        guard let info else { return SQLITE_ERROR }
        for index in 0..<Int(info.pointee.nConstraint) {
            let constraint = info.pointee.aConstraint[index]
            guard constraint.iColumn == 1, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            info.pointee.aConstraintUsage[index].argvIndex = 1
            info.pointee.aConstraintUsage[index].omit = 1
            info.pointee.estimatedCost = 1_000
            info.pointee.estimatedRows = 1_000
            return SQLITE_OK
        }
        return SQLITE_CONSTRAINT
    }

    private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>? {
        cursor.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Cursor.self) }
    }

    private static func values(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Values? {
        self.cursor(cursor)?.pointee.values?.takeUnretainedValue()
    }
}
