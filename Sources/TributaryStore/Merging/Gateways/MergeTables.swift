import GRDB
import TributaryChanges
import TributaryModel

/// The tables that a merge reads and writes, each behind the one type that knows its SQL.
///
/// One write transaction and one thread use it, so the caches stay valid, and overlapping accesses are not checked.
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
        references = try UnresolvedReferenceTable(db, layout: layout)
        keys = KeyTable(db, layout: layout, references: references, shadows: shadows)
        links = try LinkTables(db)
        counters = CounterTable(db, layout: layout)
        deferred = DeferredWriteTable(db: db)
        preserved = PreservedValueTable(db: db, layout: layout)
    }

    private func prepare(_ table: Int, inserts: ClosedRange<UniqueID>?) throws {
        try partialRows.prepare(table, inserts)
        try references.prepare(table, inserts)
    }

    func counterValue(_ id: UniqueID, _ column: StoreModel.ColumnIndex, entity: Int) throws -> PropertyValue {
        try counters.value(of: id, column, above: layout.entities[entity].defaults[column.column])
    }

    /// The object, or the representative of a shadow; nil if that is not visible, until shadows are decided again.
    func shown(_ table: Int, _ id: UniqueID) throws -> UniqueID? {
        if try visibility.isVisible(table, id) { return id }
        guard let shown = try shadows.representative(of: id, table), try visibility.isVisible(table, shown) else {
            return nil
        }
        return shown
    }

    /// ``ReferenceMerger`` decides what a one-to-one column shows.
    func representative(of target: UniqueID, _ table: Int, isOneToOne: Bool) throws -> PropertyValue {
        guard !isOneToOne, let shown = try shadows.representative(of: target, table) else { return .null }
        return .reference(shown)
    }

    func value(of column: StoreModel.ColumnIndex, in row: VisibleRow) throws -> PropertyValue {
        if case .reference = layout[column].kind {
            return try target(of: row, column).map(PropertyValue.reference) ?? .null
        }
        return try objects.table(column.table).value(column.column, rowid: row.rowid)
    }

    func target(shownBy row: VisibleRow, _ column: StoreModel.ColumnIndex) throws -> UniqueID? {
        guard case .reference(_, true, _) = layout[column].kind,
            case .reference(let target) = try objects.table(column.table).value(column.column, rowid: row.rowid)
        else { return nil }
        return target
    }

    func target(of row: VisibleRow, _ column: StoreModel.ColumnIndex) throws -> UniqueID? {
        // A column may show the representative of the target.
        if shadows.hasRows, let target = try references.target(of: row.id, column) { return target }
        let shown = try objects.table(column.table).value(column.column, rowid: row.rowid)
        if case .reference(let target) = shown { return target }
        return try references.target(of: row.id, column)
    }
}

extension MergeTables {
    /// Looks up at once the rows that the inserts need, and treats the inserted objects, except shadows, as visible.
    ///
    /// Costs two queries for each table with inserts; while there are shadows, also one for each partial row.
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

    /// A shadow stays a shadow after another insert, until unique keys are decided.
    private func isShadow(_ id: UniqueID, _ table: Int) throws -> Bool {
        try partialRows.mayContain(table, id) && shadows.representative(of: id, table) != nil
    }
}

struct PreservedValueTable {
    let db: Database
    let layout: StoreModel

    func insert(_ row: VisibleRow, table: Int, revision: Int64, value: (_ column: Int) throws -> PropertyValue) throws {
        let entity = layout.entities[row.entity]
        var members: [JSONMember] = []
        for (index, property) in entity.entity.properties.enumerated() {
            guard let attribute = property.attribute, attribute.preservesValueAfterDeletion,
                case .column(let column) = entity.places[index]
            else { continue }
            members.append(JSONMember(key: attribute.name, value: try value(column).json))
        }
        guard !members.isEmpty else { return }
        let statement = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO tributary_tombstone(transaction_number, root, id, preserved) VALUES (?1, ?2, ?3, ?4)"
        )
        statement.bindAll(revision, layout.tables[table].code, row.id, JSONValue.object(members).text)
        try statement.run()
    }

    func values(of id: UniqueID, table: Int) throws -> [JSONMember] {
        let statement = try BoundStatement(
            db,
            """
            SELECT preserved FROM tributary_tombstone WHERE root = ?1 AND id = ?2
            ORDER BY transaction_number DESC LIMIT 1
            """
        )
        statement.bindAll(layout.tables[table].code, id)
        guard let text = try statement.first({ $0.text(0) }), case .object(let members)? = JSONValue(text: text) else {
            return []
        }
        return members
    }

    func all(after number: Int64, through: Int64) throws -> [Int64: [Tombstone: [String: JSONValue]]] {
        let statement = try BoundStatement(
            db,
            """
            SELECT transaction_number, id, preserved, root FROM tributary_tombstone
            WHERE transaction_number > ?1 AND transaction_number <= ?2
            """
        )
        statement.bindAll(number, through)
        var found: [Int64: [Tombstone: [String: JSONValue]]] = [:]
        try statement.forEach { row in
            guard let id = row.id(1), case .object(let members)? = JSONValue(text: row.text(2)),
                let table = layout.tables.first(where: { $0.code == row.integer(3) })
            else { return }
            found[row.integer(0), default: [:]][Tombstone(root: table.name, id: id)] = Dictionary(
                members.map { ($0.key, $0.value) },
                uniquingKeysWith: { $1 }
            )
        }
        return found
    }
}

/// Never misses an object with a row; a look-up for each other object would cost an insert 39 % more instructions.
struct MembershipHint {
    private var ids: Set<UniqueID> = []
    private var isEverything = false
    static let limit = 20_000

    func mayContain(_ id: UniqueID) -> Bool { isEverything || ids.contains(id) }

    mutating func insert(_ id: UniqueID) {
        guard !isEverything else { return }
        ids.insert(id)
        if ids.count > MembershipHint.limit { containAll() }
    }

    mutating func containAll() {
        isEverything = true
        ids = []
    }
}

extension Database {
    func hasRows(_ table: String) throws -> Bool {
        try BoundStatement(self, "SELECT 1 FROM \(table) LIMIT 1").first { _ in true } ?? false
    }

    /// `sql` selects identifiers between ?2 and ?3 for the code ?1; it may select an identifier more than once.
    func membership(_ sql: String, code: Int64, _ range: ClosedRange<UniqueID>) throws -> MembershipHint {
        let statement = try BoundStatement(self, CachedSQL(sql + " LIMIT \(MembershipHint.limit + 1)"))
        statement.bindAll(code, range.lowerBound, range.upperBound)
        var found = MembershipHint()
        var count = 0
        try statement.forEach { row in
            count += 1
            if let id = row.id(0) { found.insert(id) }
        }
        // The rows that were not read may have any object.
        if count > MembershipHint.limit { found.containAll() }
        return found
    }
}
