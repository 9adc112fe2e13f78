import GRDB
import TributaryChanges
import TributaryModel

/// Merges plain inserts and updates of imports together, in the order of tables and identifiers: the bulk of an import.
///
/// It ends like ``ObjectMerger``, one change after the other, and costs SQLite a part of that: rows of many transactions
/// are sorted, several rows are inserted with one statement, and values go from the memory of a run to SQLite without
/// becoming values of Swift in between. A row that finds anything else than an unknown object is given to
/// ``ObjectMerger``.
///
/// Used by one thread; its properties are exempt from the checks for overlapping accesses.
final class BulkPath {
    let db: Database
    let tables: MergeTables
    let shapes: ChangeShapes
    private let cursor: TransactionCursor
    let effects: EffectLog
    private let objects: ObjectMerger
    /// Whether rows may wait: whoever allows it has them merged before the commit.
    @exclusivity(unchecked) var isAllowed = false
    let waiting = WaitingRows()
    /// By shape: the statement that inserts several of its rows; nil when there cannot be one.
    @exclusivity(unchecked) var rowInserts: [Int: RowInsert?] = [:]
    /// The bytes of an identifier while a statement runs.
    private let key = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    /// The values of a row that is given to ``ObjectMerger``.
    @exclusivity(unchecked) private var writes: [RegisterWrite] = []

    init(
        _ db: Database,
        _ tables: MergeTables,
        shapes: ChangeShapes,
        cursor: TransactionCursor,
        effects: EffectLog,
        objects: ObjectMerger
    ) {
        self.db = db
        self.tables = tables
        self.shapes = shapes
        self.cursor = cursor
        self.effects = effects
        self.objects = objects
    }

    deinit { key.deallocate() }

    private var layout: StoreModel { tables.layout }

    /// Takes the first rows of a run, as far as the model can represent their values; they wait.
    ///
    /// - Returns: how many rows wait now; 0 when the run cannot take this path.
    func accept(_ run: RowRun) -> Int {
        guard isAllowed, !cursor.isLocal, cursor.number == cursor.revision, !cursor.keepsIndexes,
            let index = shape(of: run), shapes[index].isPackable
        else { return 0 }
        let shape = shapes[index]
        let table = layout.entities[shape.entity].table
        for row in 0..<run.count {
            guard shape.fits(run, row) else { return row }
            if row == 0 { waiting.begin(run, of: effects.current) }
            waiting.append(row, table: table, shape: index)
        }
        return run.count
    }

    /// Merges the rows that wait, each with the version of its own transaction.
    ///
    /// Costs n log n comparisons for n rows, which ``WaitingRows`` bounds, and a look at each row.
    func flush() throws {
        guard !waiting.isEmpty else { return }
        let (transaction, number, revision) = (effects.current, cursor.number, cursor.revision)
        defer {
            waiting.removeAll()
            tables.objects.forgetRows()
            for insert in rowInserts.values { insert?.forget() }
            effects.move(to: transaction)
            cursor.move(to: transaction, number: number, revision: revision)
        }
        waiting.sort()
        try tables.prepare(waiting.rows) { row in
            (Int(row.table), shapes[Int(row.shape)].isInsert ? row.id : nil)
        }
        var index = 0
        while index < waiting.rows.count {
            if try insertTogether(from: index) {
                index += RowInsert.rowCount
            } else {
                try merge(waiting.rows[index])
                index += 1
            }
        }
        for transaction in waiting.transactions { try effects.flush(transaction) }
    }

    private func merge(_ row: WaitingRows.Row) throws {
        moveCursor(to: row)
        let shape = shapes[Int(row.shape)]
        if try shape.isInsert && insertDirectly(row, shape) { return }
        try mergeValues(row, shape)
    }

    /// Gives a row to the merge of single objects.
    func mergeValues(_ row: WaitingRows.Row, _ shape: ChangeShape) throws {
        let run = waiting.runs[Int(row.run)]
        writes.removeAll(keepingCapacity: true)
        for (index, target) in shape.directTargets.enumerated() {
            // `fits` has said that there is a value.
            guard let value = target.type.scalarValue(from: run.value(Int(row.index), index)) else { continue }
            writes.append(RegisterWrite(column: Int(target.index - ObjectTable.firstColumn), value: value))
        }
        if shape.isInsert {
            try objects.insert(Int(row.table), row.id, writes, shape: shape)
        } else {
            try objects.update(Int(row.table), row.id, writes, shape: shape)
        }
    }

    /// Goes over to the transaction of a row.
    func moveCursor(to row: WaitingRows.Row) {
        let owner = waiting.transactions[Int(row.transaction)]
        guard owner !== effects.current || owner.number != cursor.number else { return }
        effects.move(to: owner)
        cursor.move(to: owner, number: owner.number, revision: owner.number)
    }

    /// Nil when the model does not know the entity, or it has no objects of its own.
    private func shape(of run: RowRun) -> Int? {
        guard let entity = layout.entityIndex(named: run.entity),
            !run.isInsert || !layout.entities[entity].entity.isAbstract
        else { return nil }
        return shapes.index(of: run, entity: entity)
    }

    /// Inserts the object from the memory of its run.
    ///
    /// - Returns: false when the object has a row or a partial row already; nothing has been written then.
    private func insertDirectly(_ row: WaitingRows.Row, _ shape: ChangeShape) throws -> Bool {
        let table = Int(row.table)
        if tables.partialRows.mayContain(table, row.id) { return false }
        let objects = try tables.objects.table(table)
        let statement = objects.insert
        if objects.boundHead?.shape != Int(row.shape) {
            bindHead(statement, shape)
            objects.boundHead = (Int(row.shape), cursor.number)
        } else if objects.boundHead?.number != cursor.number {
            statement.bind(2, cursor.number)
            objects.boundHead = (Int(row.shape), cursor.number)
        }
        row.id.write(to: key)
        statement.bind(1, lasting: UnsafeRawBufferPointer(key))
        let run = waiting.runs[Int(row.run)]
        for column in shape.directTargets.indices {
            let (index, type) = shape.directTargets[column]
            statement.bind(index, run.cell(Int(row.index), column), of: run, as: type)
        }
        try statement.run()
        guard statement.changedRows > 0 else { return false }
        try finishInsert(row, shape)
        return true
    }

    /// Does what follows from a new row.
    func finishInsert(_ row: WaitingRows.Row, _ shape: ChangeShape) throws {
        try objects.appear(Int(row.table), row.id, references: [])
        let keys = try shape.historyKeys ?? effects.keys(of: shape)
        try effects.record(.insert, Int(row.table), row.id, entity: shape.entity, keys: keys)
    }

    /// Binds what all inserts of one shape share, and the transaction.
    private func bindHead(_ statement: BoundStatement, _ shape: ChangeShape) {
        let entity = layout.entities[shape.entity]
        statement.bind(2, cursor.number)
        statement.bindNull(3)
        statement.bind(4, shape.exceptions)
        statement.bind(5, entity.code)
        for (column, value) in entity.defaults.enumerated() {
            statement.bind(ObjectTable.firstColumn + Int32(column), value)
        }
    }
}
