import GRDB
import TributaryChanges
import TributaryModel

/// Merges plain inserts, updates and deletions of imports together, in the order of tables and identifiers.
///
/// The result is the same as with ``ObjectMerger``, but cheaper: rows are sorted, one statement inserts several rows,
/// and SQLite reads values from the memory of a run. One thread uses it, so overlapping accesses are not checked.
final class BulkPath {
    let db: Database
    let tables: MergeTables
    let shapes: ChangeShapes
    let cursor: TransactionCursor
    let effects: EffectLog
    let objects: ObjectMerger
    private let uniqueness: UniquenessMerger
    /// Set only by a caller that calls ``flush()`` before the commit.
    @exclusivity(unchecked) var isAllowed = false
    let waiting = WaitingRows()
    @exclusivity(unchecked) var rowInserts: [Int: RowInsert?] = [:]
    private let key = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    private let isAlone: [Bool]
    @exclusivity(unchecked) private var writes: [RegisterWrite] = []
    @exclusivity(unchecked) var heads: [VisibleRow?] = []

    init(
        _ db: Database,
        _ tables: MergeTables,
        shapes: ChangeShapes,
        cursor: TransactionCursor,
        effects: EffectLog,
        objects: ObjectMerger,
        uniqueness: UniquenessMerger
    ) {
        self.db = db
        self.tables = tables
        self.shapes = shapes
        self.cursor = cursor
        self.effects = effects
        self.objects = objects
        self.uniqueness = uniqueness
        let layout = tables.layout
        isAlone = layout.tables.map { table in
            !tables.keys.hasKeys(table.index) && layout.incoming[table.index].isEmpty
                && layout.linksOf[table.index].isEmpty && table.columns.allSatisfy { $0.isRegister && !$0.hasOwnIndex }
        }
    }

    deinit { key.deallocate() }

    private var layout: StoreModel { tables.layout }

    /// Returns how many of the first rows wait now; the caller merges the others at once.
    func accept(_ run: RowRun) -> Int {
        guard mayWait, let index = shape(of: run), shapes[index].isPackable else { return 0 }
        let shape = shapes[index]
        let table = layout.entities[shape.entity].table
        for row in 0..<run.count {
            guard shape.fits(run, row) else { return row }
            if row == 0 { waiting.begin(run, shape: index, of: effects.current) }
            waiting.append(row, table: table)
        }
        return run.count
    }

    private var mayWait: Bool {
        isAllowed && !cursor.isLocal && cursor.number == cursor.revision && cursor.touched.isEmpty
    }

    /// Accepts all changes or none; only deletions of objects without keys and relationships.
    func accept(deletions changes: [Change]) -> Bool {
        guard mayWait, let name = changes.first?.entity, let entity = layout.entityIndex(named: name) else {
            return false
        }
        let table = layout.entities[entity].table
        guard isAlone[table], changes.allSatisfy({ $0.operation == .delete && $0.entity == name }) else { return false }
        let run = RowRun(isInsert: false, entity: name, names: [], capacity: changes.count)
        for change in changes { run.append(change.id) }
        waiting.begin(run, shape: -1, of: effects.current)
        for row in changes.indices { waiting.append(row, table: table) }
        return true
    }

    /// Costs n log n comparisons and n look-ups for n waiting rows, which ``WaitingRows`` bounds.
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
            (Int(row.table), isInsert(row) ? row.id : nil)
        }
        var index = 0
        while index < waiting.rows.count {
            let isInsert = isInsert(waiting.rows[index])
            let count = try isInsert ? insertTogether(from: index) : updateTogether(from: index)
            if count == 0 { try merge(waiting.rows[index]) }
            index += max(1, count)
        }
        if let last = waiting.transactions.last {
            effects.move(to: last)
            cursor.move(to: last, number: last.number, revision: last.number)
            try uniqueness.decide()
        }
        for transaction in waiting.transactions { try effects.flush(transaction) }
    }

    func merge(_ row: WaitingRows.Row, known: VisibleRow? = nil) throws {
        moveCursor(to: row)
        if waiting.isDeletion(row) { return try objects.delete(Int(row.table), row.id, known) }
        if let known { return try update(row, known) }
        let shape = shape(of: row)
        if try shape.isInsert && insertDirectly(row, shape) { return }
        try mergeValues(row, shape)
    }

    func mergeValues(_ row: WaitingRows.Row, _ shape: ChangeShape, into known: VisibleRow? = nil) throws {
        writes.removeAll(keepingCapacity: true)
        for index in shape.columns.indices {
            // `fits` has checked that there is a value.
            if let write = write(row, shape, index) { writes.append(write) }
        }
        if shape.isInsert {
            try objects.insert(Int(row.table), row.id, writes, shape: shape)
        } else if let known {
            try objects.update(StoredObject(known, Int(row.table), tables), writes, shape: shape)
        } else {
            try objects.update(Int(row.table), row.id, writes, shape: shape)
        }
    }

    func write(_ row: WaitingRows.Row, _ shape: ChangeShape, _ index: Int) -> RegisterWrite? {
        let value = waiting.runs[Int(row.run)].rows.value(Int(row.index), index)
        return shape.directTargets[index].type.scalarValue(from: value).map {
            RegisterWrite(column: shape.columns[index], value: $0)
        }
    }

    func moveCursor(to row: WaitingRows.Row) {
        let owner = waiting.runs[Int(row.run)].transaction
        guard owner !== effects.current || owner.number != cursor.number else { return }
        effects.move(to: owner)
        cursor.move(to: owner, number: owner.number, revision: owner.number)
    }

    func isInsert(_ row: WaitingRows.Row) -> Bool { !waiting.isDeletion(row) && shape(of: row).isInsert }

    func shape(of row: WaitingRows.Row) -> ChangeShape { shapes[waiting.shape(of: row)] }

    private func shape(of run: RowRun) -> Int? {
        guard let entity = layout.entityIndex(named: run.entity),
            !run.isInsert || !layout.entities[entity].entity.isAbstract
        else { return nil }
        return shapes.index(of: run, entity: entity)
    }

    /// Returns false, and writes nothing, if the object has a row or a partial row.
    private func insertDirectly(_ row: WaitingRows.Row, _ shape: ChangeShape) throws -> Bool {
        let table = Int(row.table)
        if tables.partialRows.mayContain(table, row.id) { return false }
        let objects = try tables.objects.table(table)
        let statement = objects.insert
        if objects.boundHead?.shape != waiting.shape(of: row) {
            bindHead(statement, shape)
            objects.boundHead = (waiting.shape(of: row), cursor.number)
        } else if objects.boundHead?.number != cursor.number {
            bindNumber(statement)
            objects.boundHead = (waiting.shape(of: row), cursor.number)
        }
        row.id.write(to: key)
        statement.bind(1, lasting: UnsafeRawBufferPointer(key))
        let run = waiting.runs[Int(row.run)].rows
        for column in shape.directTargets.indices {
            let (index, type) = shape.directTargets[column]
            statement.bind(index, run.cell(Int(row.index), column), of: run, as: type)
        }
        try statement.run()
        guard statement.changedRows > 0 else { return false }
        try finishInsert(row, shape)
        return true
    }

    func finishInsert(_ row: WaitingRows.Row, _ shape: ChangeShape) throws {
        objects.keys.insert(Int(row.table), row.id)
        let keys = try shape.historyKeys ?? effects.keys(of: shape)
        try effects.record(.insert, Int(row.table), row.id, entity: shape.entity, keys: keys)
        try objects.appear(Int(row.table), row.id, references: [])
    }

    private func bindNumber(_ statement: BoundStatement) {
        statement.bind(2, cursor.number)
        statement.bind(3, cursor.number)
    }

    private func bindHead(_ statement: BoundStatement, _ shape: ChangeShape) {
        let entity = layout.entities[shape.entity]
        bindNumber(statement)
        statement.bind(4, shape.exceptions)
        statement.bind(5, entity.code)
        for (column, value) in entity.defaults.enumerated() {
            statement.bind(ObjectTable.firstColumn + Int32(column), value)
        }
    }
}

extension BulkPath {
    /// Merges the next rows with one statement; returns their number, or 0 if they are not similar enough.
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

    /// Merges the rows of objects that existed before the statement; the new objects have the greatest row IDs.
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

    private static let rowInsertLimit = 64

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

    private static let updateLimit = 256

    /// Returns the number of merged rows; 0 if the next row is an insert.
    ///
    /// The objects can be read before the merge, because no row changes another object: values are outside unique keys
    /// or wait for the decision about keys, and nothing refers to a deleted object.
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

    /// Writes at once if all values win and replace only values of the same writer; if all lose, keeps only conflicts.
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

    /// True if all values win, false if all lose; nil if the values must be merged separately.
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
        for (index, column) in shape.columns.enumerated() {
            guard let known = head.versions.register(column, isHeld: true), try objects.conflicts.isForeign(known),
                let write = write(row, shape, index)
            else { continue }
            let object = StoredObject(head, Int(row.table), tables)
            try objects.keepConflict(of: write, with: known, in: object, insertedAt: head.versions.inserted, false)
        }
    }
}
