package import GRDB
package import TributaryChanges

/// Reads and writes `tributary_counter`: one total for each counter and writer, which no deletion removes.
///
/// A total includes the writer's transactions up to its position in `tributary_writer`; `writer` is a row ID there.
package final class CounterTable {
    private let db: Database
    private let layout: StoreModel

    package init(_ db: Database, layout: StoreModel) {
        self.db = db
        self.layout = layout
    }

    func add(_ amount: PropertyValue, writer: Int64, to id: UniqueID, _ column: StoreModel.ColumnIndex) throws {
        let before = try total(writer: writer, of: id, column)
        try setTotal(CounterTotals.sum(before, amount), writer: writer, of: id, column)
    }

    func set(_ total: PropertyValue, writer: Int64, of id: UniqueID, _ column: StoreModel.ColumnIndex) throws -> Bool {
        if try self.total(writer: writer, of: id, column) == total { return false }
        try setTotal(total, writer: writer, of: id, column)
        return true
    }

    func setTotal(_ total: PropertyValue?, writer: Int64, of id: UniqueID, _ column: StoreModel.ColumnIndex) throws {
        let statement = try BoundStatement(
            db,
            total == nil
                ? "DELETE FROM tributary_counter WHERE root = ?1 AND id = ?2 AND place = ?3 AND writer = ?4"
                : "INSERT OR REPLACE INTO tributary_counter(root, id, place, writer, total) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        bind(id, column, to: statement)
        statement.bind(4, writer)
        if let total { statement.bind(5, total) }
        try statement.run()
    }

    func total(writer: Int64, of id: UniqueID, _ column: StoreModel.ColumnIndex) throws -> PropertyValue? {
        let select = try BoundStatement(
            db,
            "SELECT total FROM tributary_counter WHERE root = ?1 AND id = ?2 AND place = ?3 AND writer = ?4"
        )
        bind(id, column, to: select)
        select.bind(4, writer)
        return try select.first { layout[column].total(in: $0, at: 0) }
    }

    package func value(
        of id: UniqueID,
        _ column: StoreModel.ColumnIndex,
        above initial: PropertyValue
    ) throws -> PropertyValue {
        CounterTotals.value(of: try totals(of: id, column).map(\.total), above: initial)
    }

    func totals(of id: UniqueID, _ column: StoreModel.ColumnIndex) throws -> [(writer: Int64, total: PropertyValue)] {
        let statement = try BoundStatement(
            db,
            "SELECT writer, total FROM tributary_counter WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        bind(id, column, to: statement)
        return try statement.all { ($0.integer(0), layout[column].total(in: $0, at: 1)) }
    }

    private func bind(_ id: UniqueID, _ column: StoreModel.ColumnIndex, to statement: BoundStatement) {
        statement.bindAll(layout.tables[column.table].code, id, column.column)
    }
}
