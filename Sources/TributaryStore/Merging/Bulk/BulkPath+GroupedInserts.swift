import GRDB
import TributaryChanges

extension BulkPath {
    /// Inserts the next rows with one statement.
    ///
    /// - Returns: false when the rows are not similar enough; nothing has been written then.
    func insertTogether(from index: Int) throws -> Bool {
        guard let insert = try rowInsert(from: index) else { return false }
        let rows = waiting.rows[index..<(index + RowInsert.rowCount)]
        for (position, row) in zip(0..., rows) {
            let number = waiting.transactions[Int(row.transaction)].number
            insert.bind(position, row.id, number: number, waiting.runs[Int(row.run)], Int(row.index))
        }
        try insert.statement.run()
        let inserted = Int(insert.statement.changedRows)
        guard inserted == rows.count else {
            try finish(rows, inserted: inserted)
            return true
        }
        let shape = shapes[Int(waiting.rows[index].shape)]
        for row in rows {
            moveCursor(to: row)
            try finishInsert(row, shape)
        }
        return true
    }

    /// Finishes a statement that found some objects already visible, and merges their rows one by one.
    ///
    /// SQLite assigns the greatest row IDs to new rows, one after another.
    private func finish(_ rows: ArraySlice<WaitingRows.Row>, inserted: Int) throws {
        let lastBefore = db.lastInsertedRowID - Int64(inserted)
        let isNew = try rows.map { row in
            guard inserted > 0, let found = try tables.objects.row(Int(row.table), row.id) else { return false }
            return found.rowid > lastBefore
        }
        for (row, isNew) in zip(rows, isNew) {
            moveCursor(to: row)
            let shape = shapes[Int(row.shape)]
            if isNew { try finishInsert(row, shape) } else { try mergeValues(row, shape) }
        }
    }

    /// The number of cached statements for several rows.
    private static let rowInsertLimit = 64

    /// The statement for the next rows.
    ///
    /// It exists when all rows are inserts of one shape and of different objects, none of which may have a partial row.
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
        for row in waiting.rows[index..<end] where tables.partialRows.mayContain(Int(first.table), row.id) {
            return nil
        }
        if let known = rowInserts[shape] { return known }
        if rowInserts.count >= BulkPath.rowInsertLimit { rowInserts.removeAll() }
        let made = try RowInsert(db, shapes[shape], layout: tables.layout)
        rowInserts[shape] = .some(made)
        return made
    }
}
