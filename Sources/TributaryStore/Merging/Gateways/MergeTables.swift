import GRDB
import TributaryChanges

/// The tables that a merge reads and writes, each behind the one type that knows its SQL.
///
/// It belongs to one write transaction, and so to one thread: the caches of the gateways stay valid as long as nobody
/// else writes. The gateways are used for each change, and no closure gets a reference into one, so their properties
/// are exempt from the checks for overlapping accesses.
final class MergeTables {
    let layout: StoreModel
    let versions: VersionCache
    let objects: ObjectTables
    let visibility: VisibilityCache
    let partialRows: PartialRowTable
    let shadows: ShadowTable
    let keys: KeyTable
    let references: UnresolvedReferenceTable
    let links: LinkTables
    let counters: CounterTable
    let deferred: DeferredWriteTable
    let preserved: PreservedValueTable

    init(_ db: Database, layout: StoreModel) throws {
        self.layout = layout
        versions = try VersionCache(db)
        objects = ObjectTables(db, layout: layout)
        visibility = VisibilityCache(objects, layout: layout)
        partialRows = try PartialRowTable(db, layout: layout)
        shadows = try ShadowTable(db, layout: layout)
        keys = KeyTable(db, layout: layout)
        references = try UnresolvedReferenceTable(db, layout: layout)
        links = try LinkTables(db)
        counters = CounterTable(db, layout: layout)
        deferred = DeferredWriteTable(db: db)
        preserved = PreservedValueTable(db: db, layout: layout)
    }

    /// Looks up which inserts of one table may find a partial row, or references to their objects.
    ///
    /// - Parameters:
    ///   - table: The index of the table.
    ///   - inserts: The least and the greatest identifier that are inserted; nil when none is.
    /// - Throws: ``StoreError`` when the store cannot be read.
    private func prepare(_ table: Int, inserts: ClosedRange<UniqueID>?) throws {
        try partialRows.prepare(table, inserts)
        try references.prepare(table, inserts)
    }

    /// The value that a counter's column shows: the sum of all totals, or the default of the entity.
    func counterValue(_ id: UniqueID, _ column: StoreModel.ColumnIndex, entity: Int) throws -> PropertyValue {
        try counters.value(of: id, column) ?? layout.entities[entity].defaults[column.column]
    }

    /// The object that stands for another one: itself while it is visible, its representative while it is a shadow.
    func shown(_ table: Int, _ id: UniqueID) throws -> UniqueID? {
        try visibility.isVisible(table, id) ? id : shadows.representative(of: id, table)
    }

    /// The value that a column shows while its target is not visible; ``OwnerMerger`` decides one-to-one columns.
    func representative(of target: UniqueID, _ table: Int, isOneToOne: Bool) throws -> PropertyValue {
        guard !isOneToOne, let shown = try shadows.representative(of: target, table) else { return .null }
        return .reference(shown)
    }

    /// The value of a register of a visible row.
    func value(of column: StoreModel.ColumnIndex, in row: VisibleRow) throws -> PropertyValue {
        if case .reference = layout[column].kind {
            return try target(of: row, column).map(PropertyValue.reference) ?? .null
        }
        return try objects.table(column.table).value(column.column, rowid: row.rowid)
    }

    /// The target that a one-to-one register of a visible row shows.
    ///
    /// It is nil while another object owns the target, and for columns of other kinds.
    func target(shownBy row: VisibleRow, _ column: StoreModel.ColumnIndex) throws -> UniqueID? {
        guard case .reference(_, true, _) = layout[column].kind,
            case .reference(let target) = try objects.table(column.table).value(column.column, rowid: row.rowid)
        else { return nil }
        return target
    }

    /// The target that the to-one register of a visible row holds, shown or not.
    func target(of row: VisibleRow, _ column: StoreModel.ColumnIndex) throws -> UniqueID? {
        // A column may show the representative of the target.
        if shadows.hasRows, let target = try references.target(of: row.id, column) { return target }
        let shown = try objects.table(column.table).value(column.column, rowid: row.rowid)
        if case .reference(let target) = shown { return target }
        return try references.target(of: row.id, column)
    }
}

extension MergeTables {
    /// Looks up at once the rows that the following inserts need, and counts their objects as visible.
    ///
    /// Shadows do not count as visible: references to them and their links are shown with their representatives. The
    /// cost is one or two looks at each change, two queries for each table with inserts, and, while there are shadows,
    /// one for each inserted object with a partial row.
    func prepare<Element>(
        _ changes: [Element],
        _ subject: (Element) -> (table: Int, inserted: UniqueID?)
    ) throws {
        visibility.limitSize()
        var start = 0
        while start < changes.count {
            let table = subject(changes[start]).table
            var inserts: ClosedRange<UniqueID>?
            var end = start
            while end < changes.count {
                let (next, inserted) = subject(changes[end])
                guard next == table else { break }
                if let inserted {
                    inserts = (inserts?.lowerBound ?? inserted)...inserted
                    visibility.set(table, inserted, isVisible: true)
                }
                end += 1
            }
            try prepare(table, inserts: inserts)
            if shadows.hasRows {
                for change in changes[start..<end] {
                    guard let id = subject(change).inserted, try isShadow(id, table) else { continue }
                    visibility.set(table, id, isVisible: false)
                }
            }
            start = end
        }
    }

    /// Whether a prepared object is a shadow: a further insert leaves it one, until the changes are decided about.
    private func isShadow(_ id: UniqueID, _ table: Int) throws -> Bool {
        try partialRows.mayContain(table, id) && shadows.representative(of: id, table) != nil
    }
}
