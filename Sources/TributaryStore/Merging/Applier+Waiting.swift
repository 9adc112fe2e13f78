import TributaryChanges
import TributaryModel

/// Runs of plain inserts and updates: the bulk of an import.
extension Applier {
    /// Applies a run, or lets it wait for a better order; what the model cannot represent is parked at once.
    func apply(_ run: RowRun) throws {
        let first = takePlaces(run.count)
        guard waiting.isAllowed, !isStrict, number == revision, !keepsIndexes, let shape = shape(of: run),
            shapes[shape].isPackable
        else {
            try applyWaiting()
            return try apply(ChangeSlice(changes: run.changes, first: first))
        }
        let form = shapes[shape]
        let table = layout.entities[form.entity].table
        var isBegun = false
        for row in 0..<run.count {
            guard form.fits(run, row) else {
                // What is deferred here makes those that follow tell their index, and rows that wait do not.
                try applyWaiting()
                return try apply(ChangeSlice(changes: (row..<run.count).map { run.change($0) }, first: first + row))
            }
            if !isBegun {
                waiting.begin(run, of: current)
                isBegun = true
            }
            waiting.append(row, table: table, shape: shape)
        }
        if waiting.isFull { try applyWaiting() }
    }

    /// Applies what waits, in the best order, each with its own transaction's version.
    func applyWaiting() throws {
        guard !waiting.isEmpty else { return }
        let (transaction, revision) = (current, revision)
        let number = number
        defer {
            waiting.removeAll()
            for table in layout.tables.indices { forgetRows(of: table) }
            for insert in rowInserts.values { insert?.forget() }
            turn(to: transaction, number: number, revision: revision)
        }
        waiting.sort()
        try prepareWaiting()
        var index = 0
        while index < waiting.rows.count {
            if try insertTogether(from: index) {
                index += RowInsert.rowCount
            } else {
                try applyWaiting(waiting.rows[index])
                index += 1
            }
        }
        for transaction in waiting.transactions { try history.flush(transaction) }
    }

    private func applyWaiting(_ row: WaitingRows.Row) throws {
        turn(to: row)
        let run = waiting.runs[Int(row.run)]
        let form = shapes[Int(row.shape)]
        if try form.isInsert && insertDirectly(row, form, run) { return }
        try take(run, Int(row.index), form)
        if form.isInsert {
            try insert(Int(row.table), row.id, shape: Int(row.shape))
        } else {
            try update(Int(row.table), row.id, shape: Int(row.shape))
        }
    }

    /// Goes over to the transaction of a row.
    func turn(to row: WaitingRows.Row) {
        let owner = waiting.transactions[Int(row.transaction)]
        if owner !== current || owner.number != number {
            turn(to: owner, number: owner.number, revision: owner.number)
        }
    }

    /// Nil when the model does not know the entity, or it has no objects of its own.
    private func shape(of run: RowRun) -> Int? {
        guard let entity = layout.entityIndex(named: run.entity),
            !run.isInsert || !layout.entities[entity].entity.isAbstract
        else { return nil }
        return shapes.index(of: run, entity: entity, layout: layout)
    }

    private func prepareWaiting() throws {
        boundVisibility()
        var start = 0
        let rows = waiting.rows
        while start < rows.count {
            let table = Int(rows[start].table)
            let isTarget = isTarget[table]
            var inserts: (first: UniqueID, last: UniqueID)?
            var end = start
            while end < rows.count, rows[end].table == rows[start].table {
                if shapes[Int(rows[end].shape)].isInsert {
                    inserts = (inserts?.first ?? rows[end].id, rows[end].id)
                    if isTarget { visibility[table][rows[end].id] = true }
                }
                end += 1
            }
            try lookUp(inserts, table)
            start = end
        }
    }

    /// Fills `writes` with a row's values, all of which fit.
    func take(_ run: RowRun, _ row: Int, _ form: ChangeShape) throws {
        writes.removeAll(keepingCapacity: true)
        for column in form.targets.indices {
            guard case .scalar(let place, let type) = form.targets[column] else { continue }
            // `fits` has said so.
            guard let value = type.scalarValue(from: run.value(row, column)) else { continue }
            writes.append(RegisterWrite(place: place, value: value))
        }
    }

    /// Inserts the object without making anything of its values first.
    ///
    /// - Returns: false when the insert has to take the long way: nothing has been written then.
    private func insertDirectly(_ row: WaitingRows.Row, _ form: ChangeShape, _ run: RowRun) throws -> Bool {
        let table = Int(row.table)
        if hasHiddenObjects, hiddenObjects[table].mayContain(row.id) { return false }
        let statements = try self.table(table)
        let statement = statements.insert
        if statements.directHead?.shape != Int(row.shape) {
            bindHead(statement, table, form)
            statements.directHead = (Int(row.shape), number)
        } else if statements.directHead?.number != number {
            statement.bind(2, number)
            statements.directHead = (Int(row.shape), number)
        }
        row.id.write(to: key)
        statement.bind(1, lasting: UnsafeRawBufferPointer(key))
        for column in form.directTargets.indices {
            let (index, type) = form.directTargets[column]
            statement.bind(index, run.cell(Int(row.index), column), of: run, as: type)
        }
        try statement.run()
        guard statement.changedRows > 0 else { return false }
        try hasInserted(row, form)
        return true
    }

    /// What follows from a new row.
    func hasInserted(_ row: WaitingRows.Row, _ form: ChangeShape) throws {
        try appear(Int(row.table), row.id, claims: [])
        let keys = try form.historyKeys ?? historyKeys(of: Int(row.shape))
        try record(.insert, Int(row.table), row.id, entity: form.entity, keys: keys)
    }

    /// Binds what all inserts of one shape share, and the transaction.
    private func bindHead(_ statement: BoundStatement, _ table: Int, _ form: ChangeShape) {
        let entity = layout.entities[form.entity]
        statement.bind(2, number)
        statement.bindNull(3)
        statement.bind(4, form.exceptions)
        statement.bind(5, entity.code)
        for (place, value) in entity.defaults.enumerated() {
            statement.bind(TableStatements.firstColumn + Int32(place), value)
        }
    }
}
