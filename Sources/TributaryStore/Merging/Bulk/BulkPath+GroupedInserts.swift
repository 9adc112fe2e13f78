import GRDB
import TributaryChanges

extension BulkPath {
    /// Inserts the next rows with one statement.
    ///
    /// - Returns: The number of rows; 0 when they are not similar enough, and nothing has been written then.
    func insertTogether(from index: Int) throws -> Int {
        guard let insert = try rowInsert(from: index) else { return 0 }
        let rows = waiting.rows[index..<(index + insert.rowCount)]
        for (position, row) in zip(0..., rows) {
            let number = waiting.runs[Int(row.run)].transaction.number
            insert.bind(position, row.id, number: number, waiting.runs[Int(row.run)].rows, Int(row.index))
        }
        try insert.statement.run()
        let inserted = Int(insert.statement.changedRows)
        guard inserted == rows.count else {
            try finish(rows, inserted: inserted)
            return rows.count
        }
        let shape = shape(of: waiting.rows[index])
        for row in rows {
            moveCursor(to: row)
            try finishInsert(row, shape)
        }
        return rows.count
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
            let shape = shape(of: row)
            if isNew { try finishInsert(row, shape) } else { try mergeValues(row, shape) }
        }
    }

    /// The number of cached statements for several rows.
    private static let rowInsertLimit = 64

    /// The statement for the next rows.
    ///
    /// It exists when all rows are inserts of one shape and of different objects, none of which may have a partial row.
    private func rowInsert(from index: Int) throws -> RowInsert? {
        let first = waiting.rows[index]
        guard let insert = try rowInsert(of: waiting.shape(of: first)) else { return nil }
        let end = index + insert.rowCount
        guard end <= waiting.rows.count else { return nil }
        for next in (index + 1)..<end {
            let row = waiting.rows[next]
            if row.run != first.run, waiting.shape(of: row) != waiting.shape(of: first) { return nil }
            if row.id == waiting.rows[next - 1].id { return nil }
        }
        for row in waiting.rows[index..<end] where tables.partialRows.mayContain(Int(first.table), row.id) {
            return nil
        }
        return insert
    }

    private func rowInsert(of shape: Int) throws -> RowInsert? {
        guard shape >= 0, shapes[shape].isInsert else { return nil }
        if let known = rowInserts[shape] { return known }
        if rowInserts.count >= BulkPath.rowInsertLimit { rowInserts.removeAll() }
        let made = try RowInsert(db, shapes[shape], layout: tables.layout)
        rowInserts[shape] = .some(made)
        return made
    }

    // MARK: Updates and deletions

    /// The rows whose objects are read together.
    private static let updateLimit = 256

    /// Merges the next updates and deletions of one table, whose objects are read together.
    ///
    /// Their values are attributes outside unique keys or wait for the decision about these, and nothing refers to what
    /// is deleted, so that none of them changes the row of another object.
    ///
    /// - Returns: The number of rows; 0 when the next row is an insert.
    func updateTogether(from index: Int) throws -> Int {
        let table = waiting.rows[index].table
        let rows = waiting.rows[index...].prefix(BulkPath.updateLimit).prefix { row in
            row.table == table && !isInsert(row)
        }
        guard !rows.isEmpty else { return 0 }
        try tables.objects.table(Int(table)).readHeads(of: rows, into: &heads, layout: tables.layout)
        for (row, head) in zip(rows, heads) { try merge(row, known: head) }
        return rows.count
    }

    /// Writes the values of a row at once when all of them stand and replace no write of another writer.
    ///
    /// Of a row whose values are all lost, only the conflicts are kept.
    func update(_ row: WaitingRows.Row, _ head: VisibleRow) throws {
        let shape = shape(of: row)
        guard let stands = try stands(shape, head, Int(row.table)) else {
            return try mergeValues(row, shape, into: head)
        }
        guard stands else { return try keepConflicts(of: row, shape, head) }
        var versions = head.versions
        for column in shape.columns { versions.setRegister(column, to: cursor.number, isHeld: true) }
        let statement = try tables.objects.table(Int(row.table)).update(shape.columns)
        statement.bind(1, cursor.revision)
        statement.bind(2, versions.base)
        statement.bind(3, versions.encoded)
        statement.bind(4, head.rowid)
        let run = waiting.runs[Int(row.run)].rows
        for column in shape.directTargets.indices {
            let cell = run.cell(Int(row.index), column)
            statement.bind(5 + Int32(column), cell, of: run, as: shape.directTargets[column].type)
        }
        try statement.run()
        try effects.record(.update, Int(row.table), row.id, entity: head.entity, keys: effects.keys(of: shape))
    }

    /// Whether the values of a row stand, or are all lost; nil when the versions of the registers do not tell.
    private func stands(_ shape: ChangeShape, _ head: VisibleRow, _ table: Int) throws -> Bool? {
        guard shape.entity == head.entity, !shape.columns.isEmpty,
            !tables.keys.haveKeys(shape.columns, table)
        else { return nil }
        var (stand, lost) = (0, 0)
        for column in shape.columns {
            let known = head.versions.register(column, isHeld: true)
            let isAccepted = try MergeRule.latest.accepts(
                Register(version: cursor.number, value: PropertyValue.null),
                over: known,
                holding: .null,
                after: head.versions.deleted,
                by: tables.versions
            )
            if !isAccepted, known != nil { lost += 1 }
            if try isAccepted && !objects.conflicts.isForeign(known ?? cursor.revision) { stand += 1 }
        }
        return stand == shape.columns.count ? true : lost == shape.columns.count ? false : nil
    }

    private func keepConflicts(of row: WaitingRows.Row, _ shape: ChangeShape, _ head: VisibleRow) throws {
        let object = StoredObject(head, Int(row.table), tables)
        for (index, column) in shape.columns.enumerated() {
            guard let known = head.versions.register(column, isHeld: true), try objects.conflicts.isForeign(known),
                let write = write(row, shape, index)
            else { continue }
            try objects.keepConflict(of: write, with: known, in: object, insertedAt: head.versions.inserted, false)
        }
    }
}
