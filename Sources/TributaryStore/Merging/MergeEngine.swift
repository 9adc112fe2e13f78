import GRDB
import TributaryChanges
import TributaryModel

/// Merges the changes of imported and local transactions into the tables of the store, in one write transaction.
///
/// It sorts a slice by table and identifier, to visit the pages of a large store in order, and merges links last.
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
    private let deferral: DeferralWriter

    init(_ db: Database, layout: StoreModel, blobs: BlobFolder?) throws {
        tables = try MergeTables(db, layout: layout)
        effects = try EffectLog(db, layout: layout)
        external = ExternalValues(layout: layout, folder: blobs)
        shapes = ChangeShapes(layout)
        deferral = DeferralWriter(table: tables.deferred, cursor: cursor, layout: layout)
        resolver = ChangeResolver(layout: layout, shapes: shapes, deferral: deferral)
        converter = ValueConverter(deferral, external: external)
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

    func begin(number: Int64, version: Version, origin: WriteOrigin<Int64>, isLocal: Bool) {
        cursor.begin(number: number, writer: origin.writer, isLocal: isLocal)
        effects.begin(number: number, writer: origin.writer)
        tables.versions.insert(version, origin: origin, of: number)
    }

    func end() throws {
        try external.publish()
        try uniqueness.decide(isLocal: cursor.isLocal)
        try effects.flush(effects.current)
        try conflicts.flush()
    }

    func flush() throws {
        try bulk.flush()
        try external.publish()
        try conflicts.flush()
    }

    func apply(_ changes: [Change]) throws {
        if bulk.accept(deletions: changes) {
            _ = cursor.countChanges(changes.count)
            if bulk.waiting.isFull { try bulk.flush() }
            return
        }
        try bulk.flush()
        try apply(ChangeSlice(changes: changes, first: cursor.countChanges(changes.count)))
    }

    /// Plain rows wait, to be merged together with the rows of later transactions.
    func apply(_ run: RowRun) throws {
        let first = cursor.countChanges(run.count)
        let accepted = bulk.accept(run)
        if accepted < run.count {
            try bulk.flush()
            let rest = (accepted..<run.count).map { run.change($0) }
            try apply(ChangeSlice(changes: rest, first: first + accepted))
        } else if bulk.waiting.isFull {
            try bulk.flush()
        }
    }

    func apply(_ lines: [DeferredWriteTable.Line]) throws {
        guard let number = lines.first?.number else { return }
        cursor.resume(number: number, writer: try tables.versions.origin(number).writer)
        try apply(ChangeSlice(changes: lines.map(\.change), first: 0, positions: lines.map(\.position)))
    }

    func apply(bound: DeferredWriteTable.Entry) throws {
        cursor.resume(number: bound.number, writer: try tables.versions.origin(bound.number).writer)
        (cursor.isBound, cursor.isInOrder) = (true, false)
        defer { (cursor.isBound, cursor.isInOrder) = (false, true) }
        try apply(ChangeSlice(changes: [bound.change], first: 0, positions: [bound.position]))
    }

    func apply(_ changes: [Change], number: Int64, _ version: Version, _ origin: WriteOrigin<Int64>) throws {
        cursor.resume(number: number, writer: origin.writer)
        tables.versions.insert(version, origin: origin, of: number)
        try apply(ChangeSlice(changes: changes, first: cursor.countChanges(changes.count)))
    }

    private func apply(_ unresolved: ChangeSlice) throws {
        var slice = unresolved
        try resolver.resolve(&slice)
        slice.sort()
        try tables.prepare(slice.operations) { operation in
            guard case .write(let shape) = operation.action, shapes[shape].isInsert else {
                return (operation.table, nil)
            }
            return (operation.table, operation.id)
        }
        for operation in slice.operations { try merge(operation, of: slice) }
        try external.publish()
        try objects.links.apply(slice)
        if cursor.isInOrder { try deferral.keepLines(of: slice) }
        try uniqueness.collect()
        // A local transaction is decided at its end: a later slice may still make its objects visible.
        if !cursor.isLocal, !cursor.isJoining, uniqueness.isFull { try uniqueness.decide() }
    }

    private func merge(_ operation: ChangeSlice.Operation, of slice: ChangeSlice) throws {
        switch operation.action {
        case .delete: try objects.delete(operation.table, operation.id)
        case .assign(let column, let target):
            converter.assign(target, to: column)
            try objects.update(operation.table, operation.id, converter.writes, shape: nil)
        case .write(let index):
            guard let (values, isInsert) = slice.changes[operation.index].operation.valueWrites else { return }
            let shape = shapes[index]
            try converter.convert(values, of: operation.index, in: slice, shape: shape)
            if isInsert {
                try objects.insert(operation.table, operation.id, converter.writes, shape: shape)
            } else if !converter.writes.isEmpty {
                try objects.update(operation.table, operation.id, converter.writes, shape: shape)
            }
        }
    }
}
