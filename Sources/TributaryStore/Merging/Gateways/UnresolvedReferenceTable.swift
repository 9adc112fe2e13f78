import GRDB
import TributaryChanges

/// Reads and writes `tributary_reference`: the to-one registers of visible objects with a target that is not shown.
///
/// The target is invisible (the column may show its representative), or another object is its one-to-one owner. The
/// first search for the greatest owner stores a rank in each row, for an index; rows that are written later have none.
final class UnresolvedReferenceTable {
    private let db: Database
    private let layout: StoreModel
    @exclusivity(unchecked) private(set) var hasRows: Bool
    @exclusivity(unchecked) private var hints: [MembershipHint]
    private static let batch = 1_000

    init(_ db: Database, layout: StoreModel) throws {
        self.db = db
        self.layout = layout
        hints = Array(repeating: MembershipHint(), count: layout.tables.count)
        hasRows = try db.hasRows("tributary_reference")
    }

    func prepare(_ table: Int, _ range: ClosedRange<UniqueID>?) throws {
        hints[table] = MembershipHint()
        guard hasRows, let range else { return }
        let sql = "SELECT target FROM tributary_reference WHERE target_root = ?1 AND target BETWEEN ?2 AND ?3"
        hints[table] = try db.membership(sql, code: layout.tables[table].code, range)
    }

    /// Only for identifiers in the prepared range.
    func mayHaveTarget(_ table: Int, _ id: UniqueID) -> Bool { hasRows && hints[table].mayContain(id) }

    func target(of id: UniqueID, _ column: StoreModel.ColumnIndex) throws -> UniqueID? {
        guard hasRows else { return nil }
        let statement = try BoundStatement(
            db,
            "SELECT target FROM tributary_reference WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        bind(id, column, to: statement)
        return try statement.first { $0.id(0) } ?? nil
    }

    func insert(_ id: UniqueID, _ column: StoreModel.ColumnIndex, target: UniqueID) throws {
        guard case .reference(let targetTable, _, _) = layout[column].kind else { return }
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO tributary_reference(root, id, place, target_root, target)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """
        )
        bind(id, column, to: statement)
        statement.bind(4, layout.tables[targetTable].code)
        statement.bind(5, target)
        try statement.run()
        hasRows = true
        hints[targetTable].insert(target)
    }

    func remove(_ id: UniqueID, _ column: StoreModel.ColumnIndex) throws {
        guard hasRows else { return }
        let statement = try BoundStatement(
            db,
            "DELETE FROM tributary_reference WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        bind(id, column, to: statement)
        try statement.run()
    }

    func removeAll(of id: UniqueID, table: Int) throws {
        guard hasRows else { return }
        let statement = try BoundStatement(db, "DELETE FROM tributary_reference WHERE root = ?1 AND id = ?2")
        statement.bindAll(layout.tables[table].code, id)
        try statement.run()
    }

    func sources(_ column: StoreModel.ColumnIndex) throws -> [UniqueID] {
        guard hasRows else { return [] }
        let statement = try BoundStatement(db, "SELECT id FROM tributary_reference WHERE root = ?1 AND place = ?2")
        statement.bindAll(layout.tables[column.table].code, column.column)
        return try statement.all { $0.id(0) }
    }

    func sources(of target: UniqueID, _ column: StoreModel.ColumnIndex, _ rest: String = "") throws -> [UniqueID] {
        guard hasRows, case .reference(let targetTable, _, _) = layout[column].kind else { return [] }
        let statement = try BoundStatement(
            db,
            """
            SELECT id FROM tributary_reference
            WHERE target_root = ?1 AND target = ?2 AND root = ?3 AND place = ?4 \(rest)
            """
        )
        statement.bindAll(layout.tables[targetTable].code, target, layout.tables[column.table].code, column.column)
        return try statement.all { $0.id(0) }
    }

    /// Costs one rank for each unranked row; an entry without a visible row is damage and is removed.
    func greatestOwner(
        of target: UniqueID,
        _ column: StoreModel.ColumnIndex,
        versions: VersionCache,
        row: (UniqueID) throws -> VisibleRow?
    ) throws -> VisibleRow? {
        guard hasRows else { return nil }
        let two = try sources(of: target, column, "ORDER BY rank, id LIMIT 2")
        if two.count < 2 { return try two.first.flatMap(row) }
        try rankOwners(of: target, column, versions: versions, row: row)
        while let id = try sources(of: target, column, "ORDER BY rank DESC, id DESC LIMIT 1").first {
            if let row = try row(id) { return row }
            try remove(id, column)
        }
        return nil
    }

    private func rankOwners(
        of target: UniqueID,
        _ column: StoreModel.ColumnIndex,
        versions: VersionCache,
        row: (UniqueID) throws -> VisibleRow?
    ) throws {
        let update = try BoundStatement(
            db,
            "UPDATE tributary_reference SET rank = ?4 WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        while true {
            let unranked = try sources(
                of: target,
                column,
                "AND rank IS NULL LIMIT \(UnresolvedReferenceTable.batch)"
            )
            if unranked.isEmpty { return }
            for id in unranked {
                guard let row = try row(id) else {
                    try remove(id, column)
                    continue
                }
                bind(id, column, to: update)
                update.bind(4, try row.owner(column, layout, versions).rank)
                try update.run()
            }
        }
    }

    /// Ranks contain writers and clocks; the next search computes them again.
    static func forgetRanks(_ db: Database) throws {
        try db.execute(sql: "UPDATE tributary_reference SET rank = NULL WHERE rank IS NOT NULL")
    }

    private func bind(_ id: UniqueID, _ column: StoreModel.ColumnIndex, to statement: BoundStatement) {
        statement.bindAll(layout.tables[column.table].code, id, column.column)
    }
}

extension OneToOneOwner {
    /// 24 bytes with the order of versions: clock and writer, most significant byte first.
    var rank: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 24) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.storeBytes(of: version.clock.rawValue.bigEndian, toByteOffset: 0, as: UInt64.self)
            version.writer.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[8..<24]))
            count = 24
        }
    }
}

extension VisibleRow {
    func owner(
        _ column: StoreModel.ColumnIndex,
        _ layout: StoreModel,
        _ versions: VersionCache
    ) throws -> OneToOneOwner {
        let number = self.versions.register(column.column, isHeld: layout.entities[entity].holds[column.column])
        return OneToOneOwner(version: try number.map(versions.version) ?? .none, id: id)
    }
}
