import GRDB
import TributaryChanges

/// The prepared statements that write one table.
final class TableStatements {
    let layout: TableLayout
    private let db: Database
    /// `_id`, `_revision`, `_version`, `_exceptions`, `_entity` (always bound, not always used), then the columns.
    let insert: BoundStatement
    static let firstColumn: Int32 = 6
    /// Shape and transaction whose common values `insert` is bound to; nil once anything else has been bound.
    ///
    /// What else is bound then may be memory of a run, so it is cleared before the run goes.
    @exclusivity(unchecked) var directHead: (shape: Int, number: Int64)?
    /// By ID: rowid, `_revision`, `_version`, `_exceptions`, `_entity`.
    let select: BoundStatement
    let exists: BoundStatement
    let delete: BoundStatement
    private var updates: [[Int]: BoundStatement] = [:]
    private var lastUpdate: (places: [Int], statement: BoundStatement)?

    init(_ db: Database, _ layout: TableLayout) throws {
        self.db = db
        self.layout = layout
        var names = ["_id", "_revision", "_version", "_exceptions"]
        var values = ["?1", "?2", "?3", "?4"]
        if layout.hasEntityColumn {
            names.append("_entity")
            values.append("?5")
        } else if layout.columns.isEmpty {
            // The entity is bound all the same, so a table of objects without properties has to name it.
            values[2] = "iif(?5 IS NULL, ?3, ?3)"
        }
        for (place, column) in layout.columns.enumerated() {
            names.append(column.quotedName)
            values.append("?\(TableStatements.firstColumn + Int32(place))")
        }
        let table = layout.quotedName
        insert = try BoundStatement(
            db,
            """
            INSERT INTO \(table)(\(names.joined(separator: ","))) VALUES (\(values.joined(separator: ","))) \
            ON CONFLICT DO NOTHING
            """
        )
        select = try BoundStatement(db, "SELECT \(TableStatements.head(layout)) FROM \(table) WHERE _id = ?1")
        exists = try BoundStatement(db, "SELECT 1 FROM \(table) WHERE _id = ?1")
        delete = try BoundStatement(db, "DELETE FROM \(table) WHERE rowid = ?1")
    }

    /// The columns that ``VisibleRow`` is read from.
    static func head(_ layout: TableLayout) -> String {
        "rowid,_revision,_version,_exceptions,\(layout.hasEntityColumn ? "_entity" : String(layout.code)),_id"
    }

    /// Statements for sets of columns that are held at a time.
    private static let updateLimit = 256

    /// Sets `_revision` ?1, `_version` ?2, `_exceptions` ?3 and the given columns, from ?5 on, of the row ?4.
    func update(_ places: [Int]) throws -> BoundStatement {
        if let lastUpdate, lastUpdate.places == places { return lastUpdate.statement }
        let statement = try updates[places] ?? makeUpdate(places)
        if updates.count >= TableStatements.updateLimit { updates.removeAll() }
        updates[places] = statement
        lastUpdate = (places, statement)
        return statement
    }

    private func makeUpdate(_ places: [Int]) throws -> BoundStatement {
        let sets = places.enumerated().map { ",\(layout.columns[$1].quotedName) = ?\($0 + 5)" }.joined()
        // There are too many sets of columns to keep a statement for each as long as the connection is open.
        return try BoundStatement(
            db,
            "UPDATE \(layout.quotedName) SET _revision = ?1,_version = ?2,_exceptions = ?3\(sets) WHERE rowid = ?4",
            isKept: places.count <= 2
        )
    }

    /// Sets _entity ?1 of the row ?2.
    func setEntity(_ code: Int64, rowid: Int64) throws {
        guard layout.hasEntityColumn else { return }
        let statement = try BoundStatement(db, "UPDATE \(layout.quotedName) SET _entity = ?1 WHERE rowid = ?2")
        statement.bind(1, code)
        statement.bind(2, rowid)
        try statement.run()
    }

    /// One column of one row.
    func value(_ place: Int, rowid: Int64) throws -> PropertyValue {
        let column = layout.columns[place]
        let statement = try BoundStatement(
            db,
            "SELECT \(column.quotedName) FROM \(layout.quotedName) WHERE rowid = ?1"
        )
        statement.bind(1, rowid)
        return try statement.first { column.value(in: $0, at: 0) } ?? .null
    }

    /// Changes what a column shows, without a write to its register; the row counts as changed by `revision`.
    func show(_ value: UniqueID?, place: Int, rowid: Int64, revision: Int64) throws {
        let statement = try BoundStatement(
            db,
            """
            UPDATE \(layout.quotedName) SET \(layout.columns[place].quotedName) = ?1,
            _version = coalesce(_version, _revision), _revision = ?2 WHERE rowid = ?3
            """
        )
        statement.bind(1, value)
        statement.bind(2, revision)
        statement.bind(3, rowid)
        try statement.run()
    }
}
