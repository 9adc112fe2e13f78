package import GRDB
package import TributaryChanges

package final class ObjectTable {
    let layout: TableLayout
    private let db: Database
    /// Parameters: `_id`, `_revision`, `_version`, `_exceptions`, `_entity` (always bound), then the columns.
    package let insert: BoundStatement
    package static let firstColumn: Int32 = 6
    /// The shape and the transaction of the values that are bound to `insert`; nil after other values were bound.
    @exclusivity(unchecked) var boundHead: (shape: Int, number: Int64)?
    let select: BoundStatement
    private var selectHeads: BoundStatement?
    let exists: BoundStatement
    let delete: BoundStatement
    private var updates: [[Int]: BoundStatement] = [:]
    private var lastUpdate: (columns: [Int], statement: BoundStatement)?
    private lazy var values: [BoundStatement?] = Array(repeating: nil, count: layout.columns.count)

    package init(_ db: Database, _ layout: TableLayout) throws {
        self.db = db
        self.layout = layout
        var names = ["_id", "_revision", "_version", "_exceptions"]
        var values = ["?1", "?2", "?3", "?4"]
        if layout.hasEntityColumn {
            names.append("_entity")
            values.append("?5")
        } else if layout.columns.isEmpty {
            // The entity is always bound, so the statement for a table of objects without properties has to name it.
            values[2] = "iif(?5 IS NULL, ?3, ?3)"
        }
        for (index, column) in layout.columns.enumerated() {
            names.append(column.quotedName)
            values.append("?\(ObjectTable.firstColumn + Int32(index))")
        }
        let table = layout.quotedName
        insert = try BoundStatement(
            db,
            """
            INSERT INTO \(table)(\(names.joined(separator: ","))) VALUES (\(values.joined(separator: ","))) \
            ON CONFLICT DO NOTHING
            """
        )
        select = try BoundStatement(db, "SELECT \(ObjectTable.head(layout)) FROM \(table) WHERE _id = ?1")
        exists = try BoundStatement(db, "SELECT 1 FROM \(table) WHERE _id = ?1")
        delete = try BoundStatement(db, "DELETE FROM \(table) WHERE rowid = ?1")
    }

    package static func head(_ layout: TableLayout) -> String {
        "rowid,_revision,_version,_exceptions,\(layout.hasEntityColumn ? "_entity" : String(layout.code)),_id"
    }

    private static let updateLimit = 256

    /// Sets `_revision` ?1, `_version` ?2, `_exceptions` ?3 and the given columns, from ?5 on, of the row ?4.
    package func update(_ columns: [Int]) throws -> BoundStatement {
        if let lastUpdate, lastUpdate.columns == columns { return lastUpdate.statement }
        if updates[columns] == nil, updates.count >= ObjectTable.updateLimit { updates.removeAll() }
        let statement = try updates[columns] ?? makeUpdate(columns)
        updates[columns] = statement
        lastUpdate = (columns, statement)
        return statement
    }

    private func makeUpdate(_ columns: [Int]) throws -> BoundStatement {
        let sets = columns.enumerated().map { ",\(layout.columns[$1].quotedName) = ?\($0 + 5)" }.joined()
        let sql =
            "UPDATE \(layout.quotedName) SET _revision = ?1,_version = ?2,_exceptions = ?3\(sets) WHERE rowid = ?4"
        // There are too many sets of columns to cache a statement for each.
        return try columns.count <= 2 ? BoundStatement(db, CachedSQL(sql)) : BoundStatement(db, unkept: sql)
    }

    func setEntity(_ code: Int64, rowid: Int64) throws {
        guard layout.hasEntityColumn else { return }
        let statement = try BoundStatement(db, "UPDATE \(layout.quotedName) SET _entity = ?1 WHERE rowid = ?2")
        statement.bind(1, code)
        statement.bind(2, rowid)
        try statement.run()
    }

    func value(_ columnIndex: Int, rowid: Int64) throws -> PropertyValue {
        let column = layout.columns[columnIndex]
        let statement =
            try values[columnIndex]
            ?? BoundStatement(db, "SELECT \(column.quotedName) FROM \(layout.quotedName) WHERE rowid = ?1")
        values[columnIndex] = statement
        statement.bind(1, rowid)
        return try statement.first { column.value(in: $0, at: 0) } ?? .null
    }

    /// Changes the shown target without a write to the register; `revision` becomes the last change of the row.
    func show(_ value: UniqueID?, column: Int, rowid: Int64, revision: Int64) throws {
        let statement = try BoundStatement(
            db,
            """
            UPDATE \(layout.quotedName) SET \(layout.columns[column].quotedName) = ?1, _revision = ?2 WHERE rowid = ?3
            """
        )
        statement.bind(1, value)
        statement.bind(2, revision)
        statement.bind(3, rowid)
        try statement.run()
    }

    func rows(showing id: UniqueID, column: Int, _ model: StoreModel) throws -> [VisibleRow] {
        let statement = try BoundStatement(
            db,
            """
            SELECT \(ObjectTable.head(layout)) FROM \(layout.quotedName)
            WHERE \(layout.columns[column].quotedName) = ?1
            """
        )
        statement.bind(1, id)
        return try statement.all { VisibleRow($0, layout: model) }
    }

    /// With so many rows in a statement, 200,000 rows take half as long as with a statement for each.
    private static let headCount = 64
    private static let wanted = (1...headCount).map { "(?\($0))" }.joined(separator: ",")

    /// An entry is nil for an invisible object and for a repeated object; costs one look-up for each row.
    func readHeads(of rows: ArraySlice<WaitingRows.Row>, into heads: inout [VisibleRow?], layout: StoreModel) throws {
        heads.removeAll(keepingCapacity: true)
        let statement =
            try selectHeads
            ?? BoundStatement(
                db,
                """
                WITH wanted(id) AS (VALUES \(ObjectTable.wanted)) SELECT \(self.layout.quotedName).\(ObjectTable.head(self.layout))
                FROM wanted CROSS JOIN \(self.layout.quotedName) ON _id = wanted.id
                """
            )
        selectHeads = statement
        var last: UniqueID?
        for start in stride(from: rows.startIndex, to: rows.endIndex, by: ObjectTable.headCount) {
            let part = rows[start...].prefix(ObjectTable.headCount)
            for place in 0..<ObjectTable.headCount {
                let id = place < part.count ? part[start + place].id : nil
                statement.bind(Int32(place + 1), id == last ? nil : id)
                last = id ?? last
            }
            var index = heads.count
            heads.append(contentsOf: repeatElement(nil, count: part.count))
            try statement.forEach { row in
                let head = VisibleRow(row, layout: layout)
                while index < heads.count, rows[rows.startIndex + index].id != head.id { index += 1 }
                if index < heads.count { heads[index] = head }
            }
        }
    }

    /// Must be called before the memory of a run is freed, because parameters are bound to it.
    func forgetRows() {
        for statement in updates.values { statement.clearBindings() }
        guard boundHead != nil else { return }
        boundHead = nil
        insert.clearBindings()
    }
}

final class ObjectTables {
    private let db: Database
    private let layout: StoreModel
    @exclusivity(unchecked) private var tables: [ObjectTable?]
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

    func rows(showing id: UniqueID, _ column: StoreModel.ColumnIndex) throws -> [VisibleRow] {
        try table(column.table).rows(showing: id, column: column.column, layout)
    }

    func forgetRows() {
        for table in tables { table?.forgetRows() }
    }
}

package struct VisibleRow {
    package var id: UniqueID
    var rowid: Int64
    package var entity: Int
    package var versions: RowVersions

    package init(_ statement: BoundStatement, layout: StoreModel) {
        rowid = statement.integer(0)
        let base = statement.integer(2)
        versions = statement.withBytes(3) { RowVersions(base: base, encoded: $0) }
        entity = layout.entityIndex(code: statement.integer(4)) ?? 0
        id = statement.id(5) ?? UniqueID(high: 0, low: 0)
    }
}

/// Treats objects as visible before their inserts are merged, so that references to them need not wait;
/// ``ObjectMerger`` reverts this when a deletion supersedes the insert.
final class VisibilityCache {
    private let objects: ObjectTables
    private let isTarget: [Bool]
    @exclusivity(unchecked) private var known: [[UniqueID: Bool]]
    private static let limit = 100_000

    init(_ objects: ObjectTables, layout: StoreModel) {
        self.objects = objects
        isTarget = layout.tables.indices.map { !layout.incoming[$0].isEmpty || !layout.linksOf[$0].isEmpty }
        known = Array(repeating: [:], count: layout.tables.count)
    }

    func isVisible(_ table: Int, _ id: UniqueID) throws -> Bool {
        if let isVisible = known[table][id] { return isVisible }
        let isVisible = try objects.exists(table, id)
        known[table][id] = isVisible
        return isVisible
    }

    /// False also when the cache does not know the object.
    func countsAsVisible(_ table: Int, _ id: UniqueID) -> Bool { known[table][id] == true }

    func set(_ table: Int, _ id: UniqueID, isVisible: Bool) {
        if isTarget[table] { known[table][id] = isVisible }
    }

    /// Call it only between changes.
    func limitSize() {
        for table in known.indices where known[table].count > VisibilityCache.limit {
            known[table].removeAll(keepingCapacity: true)
        }
    }
}
