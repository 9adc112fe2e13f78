import GRDB
import TributaryChanges

extension Applier {
    /// Inserts the next rows with one statement; false when they are not alike enough, and nothing has been done.
    func insertTogether(from index: Int) throws -> Bool {
        guard let insert = try rowInsert(from: index) else { return false }
        let rows = waiting.rows[index..<(index + RowInsert.rowCount)]
        let shape = Int(waiting.rows[index].shape)
        for (place, row) in zip(0..., rows) {
            let number = waiting.transactions[Int(row.transaction)].number
            insert.bind(place, row.id, number: number, waiting.runs[Int(row.run)], Int(row.index))
        }
        try insert.statement.run()
        let inserted = Int(insert.statement.changedRows)
        let form = shapes[shape]
        guard inserted == rows.count else {
            try settle(rows, inserted: inserted)
            return true
        }
        for row in rows {
            turn(to: row)
            try hasInserted(row, form)
        }
        return true
    }

    /// Some of the objects were visible before: those have no row of their own.
    ///
    /// SQLite gives new rows the greatest numbers, one after another.
    private func settle(_ rows: ArraySlice<WaitingRows.Row>, inserted: Int) throws {
        let lastBefore = db.lastInsertedRowID - Int64(inserted)
        let isNew = try rows.map { row in
            try inserted > 0 && (visibleRow(Int(row.table), row.id).map { $0.rowid > lastBefore } ?? false)
        }
        for (row, isNew) in zip(rows, isNew) {
            turn(to: row)
            let form = shapes[Int(row.shape)]
            if isNew {
                try hasInserted(row, form)
            } else {
                try take(waiting.runs[Int(row.run)], Int(row.index), form)
                try insert(Int(row.table), row.id, shape: Int(row.shape))
            }
        }
    }

    /// Statements for many rows that are held at a time.
    private static let rowInsertLimit = 64

    /// The statement for the next rows when all are inserts of one shape, of different objects, none of which has been
    /// hidden before.
    private func rowInsert(from index: Int) throws -> RowInsert? {
        let end = index + RowInsert.rowCount
        guard end <= waiting.rows.count else { return nil }
        let first = waiting.rows[index]
        let shape = Int(first.shape)
        guard shapes[shape].isInsert else { return nil }
        for next in (index + 1)..<end {
            let row = waiting.rows[next]
            if row.shape != first.shape || row.id == waiting.rows[next - 1].id { return nil }
        }
        if hasHiddenObjects {
            for row in waiting.rows[index..<end] where hiddenObjects[Int(first.table)].mayContain(row.id) { return nil }
        }
        if let known = rowInserts[shape] { return known }
        if rowInserts.count >= Applier.rowInsertLimit { rowInserts.removeAll() }
        let made = try RowInsert(db, shapes[shape], layout: layout)
        rowInserts[shape] = .some(made)
        return made
    }
}
