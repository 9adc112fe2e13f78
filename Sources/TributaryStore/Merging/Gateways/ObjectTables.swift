import GRDB
import TributaryChanges

/// The tables of all root entities; the statements of each table are prepared on first use.
final class ObjectTables {
    private let db: Database
    private let layout: StoreModel
    @exclusivity(unchecked) private var tables: [ObjectTable?]
    /// The bytes of an identifier, valid while a statement uses them.
    private let key = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)

    init(_ db: Database, layout: StoreModel) {
        self.db = db
        self.layout = layout
        tables = Array(repeating: nil, count: layout.tables.count)
    }

    deinit { key.deallocate() }

    func table(_ index: Int) throws -> ObjectTable {
        if let known = tables[index] { return known }
        let made = try ObjectTable(db, layout.tables[index])
        tables[index] = made
        return made
    }

    /// The head of a visible object's row; nil when the object is not visible.
    func row(_ table: Int, _ id: UniqueID) throws -> VisibleRow? {
        let statement = try self.table(table).select
        id.write(to: key)
        statement.bind(1, lasting: UnsafeRawBufferPointer(key))
        defer { statement.bindNull(1) }
        return try statement.first { VisibleRow($0, layout: layout) }
    }

    func exists(_ table: Int, _ id: UniqueID) throws -> Bool {
        let statement = try self.table(table).exists
        statement.bind(1, id)
        return try statement.first { _ in true } ?? false
    }

    /// The visible objects that show an object in a column.
    func rows(showing id: UniqueID, _ column: StoreModel.ColumnIndex) throws -> [VisibleRow] {
        try table(column.table).rows(showing: id, column: column.column, layout)
    }

    /// Clears the statement parameters that are bound to the memory of runs.
    func forgetRows() {
        for table in tables { table?.forgetRows() }
    }
}
