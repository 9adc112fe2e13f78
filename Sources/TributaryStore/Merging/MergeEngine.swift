import GRDB
import TributaryChanges
import TributaryModel

/// Merges the changes of imported and local transactions into the tables of the store.
///
/// Changes come in slices. The engine resolves their names to tables and columns, groups them by table and identifier,
/// so that the pages of a large store are visited in order, and loads, merges and writes the state of each object.
/// Changes to one object keep their order. Links are merged after the other changes of a slice, in their own order.
///
/// An engine belongs to one write transaction.
final class MergeEngine {
    let tables: MergeTables
    let cursor = TransactionCursor()
    let effects: EffectLog
    let external: ExternalValues
    let conflicts: ConflictRecorder
    let objects: ObjectMerger
    let uniqueness: UniquenessMerger
    let bulk: BulkPath
    private let shapes: ChangeShapes
    private let resolver: ChangeResolver
    private let converter: ValueConverter
    /// The changes of a transaction of which only the outcome is merged.
    private var outcome: [Change] = []
    /// The changes of such a transaction that are kept in memory; of longer ones each part has its own outcome.
    private static let outcomeLimit = 50_000

    init(_ db: Database, layout: StoreModel, blobs: BlobFolder?) throws {
        tables = try MergeTables(db, layout: layout)
        effects = try EffectLog(db, layout: layout)
        external = ExternalValues(layout: layout, folder: blobs)
        shapes = ChangeShapes(layout)
        let deferral = DeferralWriter(table: tables.deferred, cursor: cursor)
        resolver = ChangeResolver(layout: layout, shapes: shapes, cursor: cursor, deferral: deferral)
        converter = ValueConverter(resolver, external: external)
        conflicts = try ConflictRecorder(db, layout: layout, cursor: cursor, versions: tables.versions)
        let links = LinkMerger(tables, cursor: cursor, effects: effects, conflicts: conflicts)
        objects = ObjectMerger(tables, cursor: cursor, effects: effects, links: links, conflicts: conflicts)
        uniqueness = UniquenessMerger(tables, objects: objects)
        bulk = BulkPath(
            db,
            tables,
            shapes: shapes,
            cursor: cursor,
            effects: effects,
            objects: objects,
            uniqueness: uniqueness
        )
    }

    /// Begins a transaction.
    func begin(number: Int64, version: Version, origin: WriteOrigin<Int64>, isLocal: Bool) {
        cursor.begin(number: number, writer: origin.writer, isLocal: isLocal)
        effects.begin(number: number, writer: origin.writer)
        tables.versions.insert(version, origin: origin, of: number)
        tables.counters.begin(isLocal: isLocal)
    }

    /// Merges only the outcome of the transaction that has begun: a clone of its writer may have made equal versions,
    /// which must not meet values that the transaction itself replaces.
    func beginOutcome() throws {
        try bulk.flush()
        tables.versions.hasClones = true
        cursor.beginOutcome()
    }

    /// Ends a transaction and writes its history.
    ///
    /// - Throws: ``StoreError`` `sharesKey` when a local transaction would hide an object of its own.
    func end() throws {
        try mergeOutcome()
        if decidesAtEnd { try uniqueness.decide(isLocal: cursor.isLocal) }
        try effects.flush(effects.current)
        try conflicts.flush()
    }

    /// Merges the rows that wait.
    func flush() throws {
        try bulk.flush()
        try conflicts.flush()
    }

    /// Merges the next changes of the transaction.
    ///
    /// - Throws: ``StoreError`` `invalidChange` and `duplicateID` for local changes.
    func apply(_ changes: [Change]) throws {
        if cursor.mergesOutcome { return try keep(changes) }
        if bulk.accept(deletions: changes) {
            _ = cursor.countChanges(changes.count)
            if bulk.waiting.isFull { try bulk.flush() }
            return
        }
        try bulk.flush()
        try apply(ChangeSlice(changes: changes, first: cursor.countChanges(changes.count)))
    }

    /// Merges the next rows of the transaction, or lets them wait for the rows of later transactions.
    ///
    /// Values that the model cannot represent are deferred at once.
    func apply(_ run: RowRun) throws {
        if cursor.mergesOutcome { return try keep((0..<run.count).map { run.change($0) }) }
        let first = cursor.countChanges(run.count)
        let accepted = bulk.accept(run)
        if accepted < run.count {
            // Values that are deferred here make the following changes keep their indexes, which waiting rows do not
            // have.
            try bulk.flush()
            let rest = (accepted..<run.count).map { run.change($0) }
            try apply(ChangeSlice(changes: rest, first: first + accepted))
        } else if bulk.waiting.isFull {
            try bulk.flush()
        }
    }

    private func keep(_ changes: [Change]) throws {
        outcome += changes
        if outcome.count >= MergeEngine.outcomeLimit { try mergeOutcome() }
    }

    private func mergeOutcome() throws {
        guard !outcome.isEmpty else { return }
        let changes = outcome
        outcome = []
        try apply(ChangeSlice(changes: changes, first: cursor.countChanges(changes.count)))
    }

    /// Merges a deferred change with its original version.
    ///
    /// - Parameters:
    ///   - entry: The deferred change.
    ///   - change: The change under the names of the present model.
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    func apply(_ entry: DeferredWriteTable.Entry, as change: Change) throws {
        cursor.resume(number: entry.number, writer: entry.writer)
        try apply(ChangeSlice(changes: [change], first: entry.index, valueIndex: entry.valueIndex))
    }

    /// The transaction of changes that are merged after later ones, under their original version.
    struct Origin {
        /// The number of the version, including the index of the changes.
        var number: Int64
        var version: Version
        /// The row of the writer, and the sequence of the transaction.
        var origin: WriteOrigin<Int64>
        var index: Int
    }

    /// Merges changes with their original version.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    func apply(_ changes: [Change], of transaction: Origin) throws {
        cursor.resume(number: transaction.number, writer: transaction.origin.writer)
        tables.versions.insert(transaction.version, origin: transaction.origin, of: transaction.number)
        try apply(ChangeSlice(changes: changes, first: transaction.index))
    }

    private func apply(_ unresolved: ChangeSlice) throws {
        var slice = unresolved
        try resolver.resolve(&slice)
        let needsIndexes = slice.operations.contains { operation in
            guard case .write(let shape) = operation.action else { return false }
            return shapes[shape].needsIndex
        }
        if needsIndexes { cursor.keepIndexes() }
        slice.sort()
        try tables.prepare(slice.operations) { operation in
            // A deferred value of an insert inserts nothing.
            guard case .write(let shape) = operation.action, shapes[shape].isInsert, slice.valueIndex == nil
            else { return (operation.table, nil) }
            return (operation.table, operation.id)
        }
        if cursor.mergesOutcome {
            try mergeOutcome(of: slice)
        } else {
            for operation in slice.operations { try merge(operation, of: slice) }
        }
        try objects.links.apply(slice)
        if decidesAtEnd { try uniqueness.collect() } else { try uniqueness.decide() }
    }

    /// Whether the end of the transaction decides who is visible, and not each slice.
    ///
    /// A local transaction may exchange keys. A baseline has the registers of an object that were written after its
    /// insert in later lines: before them its keys read as their defaults, or as older values.
    private var decidesAtEnd: Bool { cursor.isLocal || cursor.isJoining }

    /// Merges the operations of a slice, object by object, without those that later ones of the slice replace.
    private func mergeOutcome(of slice: ChangeSlice) throws {
        var index = 0
        while index < slice.operations.count {
            let first = slice.operations[index]
            var group = ObjectOutcome(layout: objects.layout, table: first.table)
            while index < slice.operations.count, slice.operations[index].table == first.table,
                slice.operations[index].id == first.id
            {
                try group.append(step(slice.operations[index], of: slice))
                index += 1
            }
            for step in group.steps {
                cursor.moveToChange(at: step.index)
                switch step.action {
                case .delete: try objects.delete(first.table, first.id)
                case .insert(let shape): try objects.insert(first.table, first.id, step.writes, shape: shapes[shape])
                case .update where step.writes.isEmpty: continue
                case .update: try objects.update(first.table, first.id, step.writes, shape: nil)
                }
            }
        }
    }

    private func step(_ operation: ChangeSlice.Operation, of slice: ChangeSlice) throws -> ObjectOutcome.Step {
        let index = slice.first + operation.index
        switch operation.action {
        case .delete: return ObjectOutcome.Step(index: index, action: .delete, writes: [])
        case .assign(let column, let target):
            converter.assign(target, to: column)
            return ObjectOutcome.Step(index: index, action: .update, writes: converter.writes)
        case .write(let shape):
            guard let (values, isInsert) = slice.changes[operation.index].operation.valueWrites else {
                return ObjectOutcome.Step(index: index, action: .update, writes: [])
            }
            cursor.moveToChange(at: index)
            try converter.convert(values, of: operation.index, in: slice, shape: shapes[shape])
            let action = isInsert ? ObjectOutcome.Step.Action.insert(shape: shape) : .update
            return ObjectOutcome.Step(index: index, action: action, writes: converter.writes)
        }
    }

    private func merge(_ operation: ChangeSlice.Operation, of slice: ChangeSlice) throws {
        cursor.moveToChange(at: slice.first + operation.index)
        switch operation.action {
        case .delete: try objects.delete(operation.table, operation.id)
        case .assign(let column, let target):
            converter.assign(target, to: column)
            try objects.update(operation.table, operation.id, converter.writes, shape: nil)
        case .write(let index):
            guard let (values, isInsert) = slice.changes[operation.index].operation.valueWrites else { return }
            let shape = shapes[index]
            try converter.convert(values, of: operation.index, in: slice, shape: shape)
            // The rest of an insert with one deferred value has been merged already.
            if isInsert, slice.valueIndex == nil {
                try objects.insert(operation.table, operation.id, converter.writes, shape: shape)
            } else if !converter.writes.isEmpty {
                let shape = slice.valueIndex == nil ? shape : nil
                try objects.update(operation.table, operation.id, converter.writes, shape: shape)
            }
        }
    }
}
