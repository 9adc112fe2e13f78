import GRDB
import TributaryChanges
import TributaryModel

/// Applies the changes of transactions to the tables with the merge rules; the same for imported and local ones.
///
/// Changes come in slices. Within a slice the changes to objects are applied sorted by entity and ID, which is several
/// times as fast in a large store; changes to one object keep their order. Links come after them, in their own order.
final class Applier {
    let db: Database
    let layout: StoreModel
    /// Where large binaries go; nil when they stay in their rows.
    var blobs: BlobFolder?
    /// Where an import has the binaries that its changes only name.
    var blobSource: BlobSource?
    let stamps: Stamps
    let history: HistoryWriter
    @exclusivity(unchecked) private var statements: [TableStatements?]

    // What each change looks at is not checked for overlapping accesses while the program runs: the applier belongs to
    // one thread, and no closure is handed a reference into it.

    /// The version of the change that is being applied.
    @exclusivity(unchecked) private(set) var number: Int64 = 0
    /// The number that rows count as changed by: the same, but for parked writes that take effect later.
    @exclusivity(unchecked) private(set) var revision: Int64 = 0
    @exclusivity(unchecked) private(set) var writer: Int64 = 0
    /// The transaction whose changes are being applied, with what they have done.
    @exclusivity(unchecked) private(set) var current: AppliedTransaction
    /// Changes that wait to be applied in a better order.
    let waiting = WaitingRows()
    /// By shape: the statement that inserts several of its rows; nil when there cannot be one.
    @exclusivity(unchecked) var rowInserts: [Int: RowInsert?] = [:]
    /// Sixteen bytes for an identifier while a statement runs.
    let key = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    /// Whether what the model does not know is an error, and so is an insert of a visible object; else it is parked.
    @exclusivity(unchecked) private(set) var isStrict = false
    /// Changes so far: the place in its transaction that the next slice begins at.
    private(set) var changeCount = 0
    @exclusivity(unchecked) var parkedCount = 0
    /// Whether the versions of the changes of this transaction tell their index from now on.
    @exclusivity(unchecked) private(set) var keepsIndexes = false
    /// The place in its change of the first value that is being converted; other than 0 for parked values.
    var firstPart = 0
    /// By table: how many effects of imports the SQLite transaction has had.
    @exclusivity(unchecked) private var effectCounts: [Int]
    /// By table: whether an object's coming can settle a one-to-one relationship.
    let hasClaims: [Bool]
    /// By table: whether anything can lead to its objects, so that it matters which are visible.
    let isTarget: [Bool]

    @exclusivity(unchecked) var shapes = ChangeShapes()
    /// The values of the change at work.
    @exclusivity(unchecked) var writes: [RegisterWrite] = []

    /// Whether there is anything at all in the tables of the same meaning.
    @exclusivity(unchecked) var hasHiddenObjects: Bool
    @exclusivity(unchecked) var hasDangling: Bool
    @exclusivity(unchecked) var hasHiddenLinks: Bool
    /// By table, for this slice.
    @exclusivity(unchecked) var hiddenObjects: [Presence]
    @exclusivity(unchecked) var danglingTargets: [Presence]
    /// By table: whether objects are visible, as far as it was asked.
    ///
    /// Those that the slice is about to insert count as
    /// visible from its beginning.
    @exclusivity(unchecked) var visibility: [[UniqueID: Bool]]
    static let visibilityLimit = 100_000

    init(_ db: Database, layout: StoreModel) throws {
        self.db = db
        self.layout = layout
        stamps = try Stamps(db)
        history = try HistoryWriter(db)
        current = AppliedTransaction(number: 0, writer: 0, effects: TransactionEffects(layout: layout))
        statements = Array(repeating: nil, count: layout.tables.count)
        effectCounts = Array(repeating: 0, count: layout.tables.count)
        hasClaims = layout.tables.map { table in
            table.columns.contains { column in
                switch column.kind {
                case .mirror, .reference(_, true, _): true
                default: false
                }
            }
        }
        isTarget = layout.tables.indices.map { !layout.incoming[$0].isEmpty || !layout.linksOf[$0].isEmpty }
        hiddenObjects = Array(repeating: Presence(), count: layout.tables.count)
        danglingTargets = hiddenObjects
        visibility = Array(repeating: [:], count: layout.tables.count)
        func holds(_ table: String) throws -> Bool {
            try BoundStatement(db, "SELECT 1 FROM \(table) LIMIT 1").first { _ in true } ?? false
        }
        hasHiddenObjects = try holds("tributary_object")
        hasDangling = try holds("tributary_reference")
        hasHiddenLinks = try holds("tributary_link")
    }

    deinit { key.deallocate() }

    func begin(number: Int64, version: Version, writer: Int64, isStrict: Bool) {
        self.number = number
        self.writer = writer
        self.isStrict = isStrict
        revision = number
        changeCount = 0
        parkedCount = 0
        keepsIndexes = false
        firstPart = 0
        current = AppliedTransaction(number: number, writer: writer, effects: TransactionEffects(layout: layout))
        stamps.begin(number, version)
    }

    /// Goes on with a change of an earlier transaction, which has the given place in it; `number` tells its index.
    func resume(number: Int64, version: Version, writer: Int64, position: Int, part: Int) {
        self.number = number
        self.writer = writer
        changeCount = position
        firstPart = part
        keepsIndexes = false
        stamps.begin(number, version)
    }

    /// From now on the order in which changes are applied does not tell the order that they have in the transaction.
    func keepIndexes() {
        // What was deferred has its index already when it is tried again.
        if VersionNumber.transaction(of: number) == revision { keepsIndexes = true }
    }

    /// Gives the change at `position` its version.
    func takeVersion(at position: Int) {
        guard keepsIndexes else { return }
        number = VersionNumber.number(VersionNumber.transaction(of: number), atLeast: position)
    }

    func end() throws {
        try history.flush(current)
    }

    /// Goes over to another transaction that has begun before, and whose changes have waited.
    func turn(to transaction: AppliedTransaction, number: Int64, revision: Int64) {
        current = transaction
        writer = transaction.writer
        self.number = number
        self.revision = revision
    }

    /// Lets go of what the statements of a table have of rows that were applied.
    func forgetRows(of table: Int) {
        guard let statements = statements[table], statements.directHead != nil else { return }
        statements.directHead = nil
        statements.insert.clearBindings()
    }

    func apply(_ slice: [Change]) throws {
        try applyWaiting()
        let first = takePlaces(slice.count)
        try apply(ChangeSlice(changes: slice, first: first))
    }

    /// The place in the transaction of the next so many changes.
    func takePlaces(_ count: Int) -> Int {
        defer { changeCount += count }
        return changeCount
    }

    func apply(_ slice: ChangeSlice) throws {
        var slice = slice
        try resolve(&slice)
        let needsIndexes = slice.operations.contains { operation in
            guard case .write(let shape) = operation.action else { return false }
            return shapes[shape].needsIndex
        }
        if needsIndexes { keepIndexes() }
        slice.sort()
        try prepare(slice)
        for operation in slice.operations { try perform(operation, slice) }
        try applyLinks(slice)
    }

    func table(_ index: Int) throws -> TableStatements {
        if let known = statements[index] { return known }
        let made = try TableStatements(db, layout.tables[index])
        statements[index] = made
        return made
    }

    func perform(_ operation: ChangeSlice.Operation, _ slice: ChangeSlice) throws {
        takeVersion(at: slice.first + operation.index)
        switch operation.action {
        case .delete: try delete(operation.table, operation.id)
        case .assign(let place, let target):
            writes.removeAll(keepingCapacity: true)
            writes.append(RegisterWrite(place: place, value: target.map(PropertyValue.reference) ?? .null))
            try update(operation.table, operation.id, shape: nil)
        case .write(let shape):
            switch slice.changes[operation.index].operation {
            case .insert(let values):
                try convert(values, of: operation.index, in: slice, shape: shape)
                try insert(operation.table, operation.id, shape: shape)
            case .update(let values):
                try convert(values, of: operation.index, in: slice, shape: shape)
                if !writes.isEmpty { try update(operation.table, operation.id, shape: shape) }
            case .delete, .link, .unlink: break
            }
        }
    }

    // MARK: Effects

    /// What readers of the store and contexts are told: an object that became visible, changed or went.
    func record(
        _ kind: HistoryTransaction.Kind,
        _ table: Int,
        _ id: UniqueID,
        entity: Int,
        properties: [String]
    ) throws {
        let keys = try history.keys(layout.entities[entity].entity.name, kind, properties)
        try record(kind, table, id, entity: entity, keys: keys)
    }

    func record(_ kind: HistoryTransaction.Kind, _ table: Int, _ id: UniqueID, entity: Int, keys: [UInt32]) throws {
        for key in keys { try history.append(id, key, to: current) }
        if current.effects.isCollapsed(table) { return }
        if !isStrict {
            // Together with those of the transactions before there are more than anybody is told one by one.
            effectCounts[table] += 1
            if effectCounts[table] > ObjectChanges.defaultLimit {
                return current.effects.collapse(table)
            }
        }
        current.effects.append(kind, id, entity: entity)
    }

    /// Whether the write of the transaction at work is older than that of `number`.
    func isOlder(than other: Int64) throws -> Bool {
        try stamps.isOlder(number, than: other)
    }
}
