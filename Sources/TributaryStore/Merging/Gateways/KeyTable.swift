import GRDB
import TributaryChanges

/// A key contains the target of a to-one register; if the column does not show it, `tributary_shadow_key` has the key.
final class KeyTable {
    private let db: Database
    private let layout: StoreModel
    private let references: UnresolvedReferenceTable
    private let shadows: ShadowTable
    private let columns: [[Int]]
    private let selections: [String]
    private let searches: [[String]]
    private let referenceColumns: [[StoreModel.ColumnIndex]]

    init(_ db: Database, layout: StoreModel, references: UnresolvedReferenceTable, shadows: ShadowTable) {
        self.db = db
        self.layout = layout
        self.references = references
        self.shadows = shadows
        let columns = layout.uniqueConstraints.map { Set($0.flatMap(\.columns)).sorted() }
        self.columns = columns
        referenceColumns = layout.tables.indices.map { table in
            columns[table].filter { layout.tables[table].columns[$0].hasOwnIndex }.map {
                .init(table: table, column: $0)
            }
        }
        selections = zip(layout.tables, columns).map { table, columns in
            let names = columns.map { table.columns[$0].quotedName }.joined(separator: ",")
            return "SELECT \(names) FROM \(table.quotedName) WHERE rowid = ?1"
        }
        searches = zip(layout.tables, layout.uniqueConstraints).map { table, constraints in
            constraints.map { KeyTable.search($0, table) }
        }
    }

    @inline(__always)
    func hasKeys(_ table: Int) -> Bool { !columns[table].isEmpty }

    func haveKeys(_ written: some Sequence<Int>, _ table: Int) -> Bool {
        hasKeys(table) && written.contains { columns[table].contains($0) }
    }

    func keys(of row: VisibleRow, _ table: Int) throws -> [StoredKey] {
        guard hasKeys(table) else { return [] }
        let tableLayout = layout.tables[table]
        let statement = try BoundStatement(db, CachedSQL(selections[table]))
        statement.bind(1, row.rowid)
        var values = try statement.first { found in
            Dictionary(
                uniqueKeysWithValues: columns[table].enumerated().map { index, column in
                    (column, tableLayout.columns[column].value(in: found, at: Int32(index)))
                }
            )
        }
        for column in referenceColumns[table] {
            if let held = try references.target(of: row.id, column) { values?[column.column] = .reference(held) }
        }
        return keys(table, entity: row.entity) { values?[$0] ?? .null }
    }

    func keys(of partial: PartialRow, _ table: Int) -> [StoredKey] {
        guard let shadow = partial.shadow, let entity = layout.entityIndex(code: shadow.entity) else { return [] }
        return keys(table, entity: entity) { column in
            partial.registers[column]?.value ?? layout.entities[entity].defaults[column]
        }
    }

    private func keys(_ table: Int, entity: Int, _ value: (Int) -> PropertyValue) -> [StoredKey] {
        layout.uniqueConstraints[table].compactMap { constraint in
            guard constraint.entities.contains(entity) else { return nil }
            return StoredKey(constraint.index, constraint.columns.map(value))
        }
    }

    /// One row, or more before ``UniquenessMerger`` has decided.
    func visibleHolders(of key: StoredKey, _ table: Int) throws -> [UniqueID] {
        guard let find = try finder(key, table, "") else { return [] }
        let found = try find.all { $0.id(0) }
        guard refersInKeys(table) else { return found }
        return try found + shadows.waitingHolders(of: key, table).filter { try isHeldElsewhere($0, table) }
    }

    private func isHeldElsewhere(_ id: UniqueID, _ table: Int) throws -> Bool {
        try referenceColumns[table].contains { try references.target(of: id, $0) != nil }
    }

    func refersInKeys(_ table: Int) -> Bool { !referenceColumns[table].isEmpty }

    func index(_ row: VisibleRow, _ table: Int) throws {
        guard refersInKeys(table) else { return }
        if try isHeldElsewhere(row.id, table) {
            try shadows.setKeys(keys(of: row, table), of: row.id, table, isVisible: true)
        } else {
            try shadows.removeKeys(of: row.id, table)
        }
    }

    /// The visible rows with a key register that its column does not show; costs one look at all such registers.
    func waiting(_ table: Int) throws -> Set<UniqueID> {
        var found: Set<UniqueID> = []
        for column in referenceColumns[table] { found.formUnion(try references.sources(column)) }
        return found
    }

    /// Does not find rows with keys in ``ShadowTable``.
    func hasOtherHolder(of key: StoredKey, than id: UniqueID, _ table: Int) throws -> Bool {
        guard let content = key.content, let find = try finder(key, table, " AND _id <> ?\(content.values.count + 1)")
        else { return false }
        find.bind(Int32(content.values.count + 1), id)
        return try find.first { _ in true } ?? false
    }

    private func finder(_ key: StoredKey, _ table: Int, _ condition: String) throws -> BoundStatement? {
        guard let (index, values) = key.content, layout.uniqueConstraints[table].indices.contains(index) else {
            return nil
        }
        guard values.count == layout.uniqueConstraints[table][index].columns.count else { return nil }
        let find = try BoundStatement(db, CachedSQL(searches[table][index] + condition))
        for (index, value) in values.enumerated() { find.bind(Int32(index + 1), value) }
        return find
    }

    private static func search(_ constraint: UniqueConstraint, _ table: TableLayout) -> String {
        var conditions = constraint.columns.enumerated().map { index, column in
            "\(table.columns[column].quotedName) = ?\(index + 1)"
        }
        if table.hasEntityColumn {
            conditions.append("_entity IN (\(constraint.codes.map(String.init).joined(separator: ",")))")
        }
        let references = constraint.columns.filter { table.columns[$0].hasOwnIndex }
        if !references.isEmpty {
            // A column may show the representative of the object that the register holds.
            conditions.append(
                """
                NOT EXISTS (SELECT 1 FROM tributary_reference r WHERE r.root = \(table.code) AND r.id = _id
                AND r.place IN (\(references.map(String.init).joined(separator: ","))))
                """
            )
        }
        return "SELECT _id FROM \(table.quotedName) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// The rows of the table that share a key with another row; costs one look at the index for each row.
    func duplicates(_ table: Int) throws -> Set<UniqueID> {
        let name = layout.tables[table].quotedName
        var found: Set<UniqueID> = []
        for constraint in layout.uniqueConstraints[table] {
            let select = try BoundStatement(
                db,
                unkept:
                    "SELECT o._id FROM \(name) o WHERE EXISTS(SELECT 1 FROM \(name) x WHERE \(pair(constraint, table)))"
            )
            try select.forEach { row in if let id = row.id(0) { found.insert(id) } }
        }
        return found
    }

    private func pair(_ constraint: UniqueConstraint, _ table: Int) -> String {
        var conditions = constraint.columns.map { column in
            let name = layout.tables[table].columns[column].quotedName
            return "x.\(name) = o.\(name)"
        }
        if layout.tables[table].hasEntityColumn {
            let codes = constraint.codes.map(String.init).joined(separator: ",")
            conditions += ["o._entity IN (\(codes))", "x._entity IN (\(codes))"]
        }
        return (conditions + ["x._id <> o._id"]).joined(separator: " AND ")
    }
}

/// The index of a unique constraint and its non-null values, compared by bytes, as SQLite compares columns.
struct StoredKey: Hashable {
    let bytes: [UInt8]

    /// In bytes; `tributary_shadow_key` has only the digest of a longer key.
    private static let wholeLimit = 256
    /// No whole key begins with these bytes: no model has a constraint with this index.
    private static let digestMark: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x01]

    /// The key, or the digest of a long key: compare the keys of the objects that a search by digest finds.
    var indexed: [UInt8] {
        bytes.count <= StoredKey.wholeLimit ? bytes : StoredKey.digestMark + Array(SHA256.hash(data: bytes).bytes)
    }

    private static let visibleMark: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x02]

    /// Keys of visible objects are stored apart from the possibly many keys of shadows.
    var indexedVisible: [UInt8] { StoredKey.visibleMark + indexed }

    init?(_ constraint: Int, _ values: [PropertyValue]) {
        var writer = VariableLengthWriter()
        writer.append(UInt64(constraint))
        for value in values {
            switch value {
            case .null: return nil
            // Negative zero becomes zero.
            case .double(let number): PropertyValue.double(number + 0).pack(into: &writer)
            default: value.pack(into: &writer)
            }
        }
        bytes = writer.bytes
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var content: (constraint: Int, values: [PropertyValue])? {
        bytes.withUnsafeBytes { buffer in
            var reader = VariableLengthReader(bytes: buffer)
            guard let constraint = reader.next() else { return nil }
            var values: [PropertyValue] = []
            while reader.index < buffer.count {
                guard let value = PropertyValue(unpacking: &reader) else { return nil }
                values.append(value)
            }
            return (Int(clamping: constraint), values)
        }
    }
}
