package import GRDB
package import TributaryChanges

/// Reads and writes `tributary_object`: the objects that are not visible.
package final class PartialRowTable {
    private let db: Database
    /// For each table, its code in the store's own tables.
    private let codes: [Int64]
    @exclusivity(unchecked) private var hasRows: Bool
    /// For each table, the hint for the inserts that are being merged.
    @exclusivity(unchecked) private var hints: [MembershipHint]

    package init(_ db: Database, layout: StoreModel) throws {
        self.db = db
        codes = layout.tables.map(\.code)
        hints = Array(repeating: MembershipHint(), count: codes.count)
        hasRows = try db.hasRows("tributary_object")
    }

    /// Looks up at once which objects between two identifiers have a row, for ``mayContain(_:_:)``.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    func prepare(_ table: Int, _ range: ClosedRange<UniqueID>?) throws {
        hints[table] = MembershipHint()
        guard hasRows, let range else { return }
        let sql = "SELECT id FROM tributary_object WHERE root = ?1 AND id BETWEEN ?2 AND ?3"
        hints[table] = try db.membership(sql, code: codes[table], range)
    }

    /// Whether an object between the prepared identifiers may have a row.
    func mayContain(_ table: Int, _ id: UniqueID) -> Bool { hasRows && hints[table].mayContain(id) }

    func row(_ table: Int, _ id: UniqueID) throws -> PartialRow? {
        guard hasRows else { return nil }
        let statement = try BoundStatement(
            db,
            "SELECT deleted, registers, inserted, entity, representative FROM tributary_object WHERE root = ?1 AND id = ?2"
        )
        statement.bind(1, codes[table])
        statement.bind(2, id)
        return try statement.first { row in
            var partial = row.withBytes(1) { PartialRow(deleted: row.optionalInteger(0), packed: $0) }
            partial.shadow = PartialRow.Shadow(row, at: 2)
            return partial
        }
    }

    func rowOrEmpty(_ table: Int, _ id: UniqueID) throws -> PartialRow { try row(table, id) ?? PartialRow() }

    package func store(_ row: PartialRow, _ table: Int, _ id: UniqueID) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO tributary_object(root, id, deleted, registers, inserted, entity, representative)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        )
        statement.bind(1, codes[table])
        statement.bind(2, id)
        statement.bind(3, row.deleted)
        statement.bind(4, row.packed)
        statement.bind(5, row.shadow?.inserted)
        statement.bind(6, row.shadow?.entity)
        statement.bind(7, row.shadow?.representative)
        try statement.run()
        hasRows = true
        hints[table].insert(id)
    }

    func remove(_ table: Int, _ id: UniqueID) throws {
        let statement = try BoundStatement(db, "DELETE FROM tributary_object WHERE root = ?1 AND id = ?2")
        statement.bind(1, codes[table])
        statement.bind(2, id)
        try statement.run()
    }
}

extension PartialRow.Shadow {
    /// Reads the columns `inserted`, `entity` and `representative`; nil for an object that is not live.
    init?(_ row: BoundStatement, at first: Int32) {
        guard let inserted = row.optionalInteger(first) else { return nil }
        self.init(
            inserted: inserted,
            entity: row.integer(first + 1),
            representative: row.id(first + 2) ?? UniqueID(high: 0, low: 0)
        )
    }
}
