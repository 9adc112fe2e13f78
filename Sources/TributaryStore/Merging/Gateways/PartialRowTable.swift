package import GRDB
package import TributaryChanges

package final class PartialRowTable {
    private let db: Database
    private let codes: [Int64]
    @exclusivity(unchecked) private var hasRows: Bool
    @exclusivity(unchecked) private var hints: [MembershipHint]

    package init(_ db: Database, layout: StoreModel) throws {
        self.db = db
        codes = layout.tables.map(\.code)
        hints = Array(repeating: MembershipHint(), count: codes.count)
        hasRows = try db.hasRows("tributary_object")
    }

    func prepare(_ table: Int, _ range: ClosedRange<UniqueID>?) throws {
        hints[table] = MembershipHint()
        guard hasRows, let range else { return }
        let sql = "SELECT id FROM tributary_object WHERE root = ?1 AND id BETWEEN ?2 AND ?3"
        hints[table] = try db.membership(sql, code: codes[table], range)
    }

    /// Only for identifiers in the prepared range.
    func mayContain(_ table: Int, _ id: UniqueID) -> Bool { hasRows && hints[table].mayContain(id) }

    func row(_ table: Int, _ id: UniqueID) throws -> PartialRow? {
        guard hasRows else { return nil }
        let statement = try BoundStatement(
            db,
            "SELECT deleted, registers, inserted, entity, representative FROM tributary_object WHERE root = ?1 AND id = ?2"
        )
        statement.bindAll(codes[table], id)
        return try statement.first { row in
            var partial = row.withBytes(1) { PartialRow(deleted: row.optionalInteger(0), packed: $0) }
            partial.shadow = PartialRow.Shadow(row, at: 2)
            return partial
        }
    }

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
        statement.bindAll(codes[table], id)
        try statement.run()
    }
}

extension PartialRow.Shadow {
    init?(_ row: BoundStatement, at first: Int32) {
        guard let inserted = row.optionalInteger(first) else { return nil }
        self.init(
            inserted: inserted,
            entity: row.integer(first + 1),
            representative: row.id(first + 2) ?? UniqueID(high: 0, low: 0)
        )
    }
}

package struct PartialRow {
    package typealias Register = TributaryChanges.Register<Int64, PropertyValue>

    package var deleted: Int64?
    package var registers: [Int: Register] = [:]

    /// A live object that is not visible, because a visible object has one of its unique keys (merge statement 15).
    package struct Shadow: Hashable {
        package var inserted: Int64
        package var entity: Int64
        package var representative: UniqueID
    }

    package var shadow: Shadow?

    package init(deleted: Int64? = nil) {
        self.deleted = deleted
    }

    package init(deleted: Int64?, packed: UnsafeRawBufferPointer) {
        self.deleted = deleted
        var reader = VariableLengthReader(bytes: packed)
        while let column = reader.next() {
            guard let number = reader.next(), let value = PropertyValue(unpacking: &reader) else { return }
            registers[Int(clamping: column)] = Register(version: Int64(bitPattern: number), value: value)
        }
    }

    var packed: [UInt8]? {
        guard !registers.isEmpty else { return nil }
        var writer = VariableLengthWriter()
        for (column, register) in registers.sorted(by: { $0.key < $1.key }) {
            writer.append(UInt64(column))
            writer.append(UInt64(bitPattern: register.version))
            register.value.pack(into: &writer)
        }
        return writer.bytes
    }
}

/// Finds shadows by identifier, representative or unique key; ``PartialRowTable`` has their rows.
final class ShadowTable {
    private let db: Database
    private let codes: [Int64]
    @exclusivity(unchecked) private(set) var hasRows: Bool

    init(_ db: Database, layout: StoreModel) throws {
        self.db = db
        codes = layout.tables.map(\.code)
        hasRows = try db.hasRows("tributary_shadow_key")
    }

    func representative(of id: UniqueID, _ table: Int) throws -> UniqueID? {
        guard hasRows else { return nil }
        return try BoundStatement(
            db,
            "SELECT representative FROM tributary_object WHERE root = \(value: codes[table]) AND id = \(value: id)"
        ).first { $0.id(0) } ?? nil
    }

    func setRepresentative(_ representative: UniqueID, of id: UniqueID, _ table: Int) throws {
        let statement = try BoundStatement(
            db,
            "UPDATE tributary_object SET representative = ?3 WHERE root = ?1 AND id = ?2"
        )
        statement.bindAll(codes[table], id, representative)
        try statement.run()
    }

    func shadows(of representative: UniqueID, _ table: Int) throws -> [UniqueID] {
        guard hasRows else { return [] }
        return try BoundStatement(
            db,
            """
            SELECT id FROM tributary_object INDEXED BY tributary_object_shadow
            WHERE root = \(value: codes[table]) AND representative = \(value: representative) ORDER BY id
            """
        ).all { $0.id(0) }
    }

    func all(_ table: Int) throws -> [UniqueID] {
        guard hasRows else { return [] }
        return try BoundStatement(
            db,
            """
            SELECT id FROM tributary_object INDEXED BY tributary_object_shadow
            WHERE root = \(value: codes[table]) AND representative IS NOT NULL ORDER BY id
            """
        ).all { $0.id(0) }
    }

    func holders(of key: StoredKey, _ table: Int) throws -> [UniqueID] { try holders(key.indexed, table) }

    func waitingHolders(of key: StoredKey, _ table: Int) throws -> [UniqueID] {
        try holders(key.indexedVisible, table)
    }

    private func holders(_ key: [UInt8], _ table: Int) throws -> [UniqueID] {
        guard hasRows else { return [] }
        let statement = try BoundStatement(db, "SELECT id FROM tributary_shadow_key WHERE root = ?1 AND key = ?2")
        statement.bindAll(codes[table], key)
        return try statement.all { $0.id(0) }
    }

    func hasHolder(of key: StoredKey, _ table: Int, than id: UniqueID) throws -> Bool {
        guard hasRows else { return false }
        let statement = try BoundStatement(
            db,
            "SELECT 1 FROM tributary_shadow_key WHERE root = ?1 AND key IN (?2, ?3) AND id <> ?4 LIMIT 1"
        )
        statement.bindAll(codes[table], key.indexed, key.indexedVisible, id)
        return try statement.first { _ in true } ?? false
    }

    func setKeys(_ keys: [StoredKey], of id: UniqueID, _ table: Int, isVisible: Bool = false) throws {
        try removeKeys(of: id, table)
        let insert = try BoundStatement(
            db,
            "INSERT OR IGNORE INTO tributary_shadow_key(root, id, key) VALUES (?1, ?2, ?3)"
        )
        for key in keys {
            insert.bindAll(codes[table], id, isVisible ? key.indexedVisible : key.indexed)
            try insert.run()
        }
        if !keys.isEmpty { hasRows = true }
    }

    func removeKeys(of id: UniqueID, _ table: Int) throws {
        guard hasRows else { return }
        let delete = try BoundStatement(db, "DELETE FROM tributary_shadow_key WHERE root = ?1 AND id = ?2")
        delete.bindAll(codes[table], id)
        try delete.run()
    }

    func removeAllKeys(_ table: Int) throws {
        guard hasRows else { return }
        try BoundStatement(db, "DELETE FROM tributary_shadow_key WHERE root = \(value: codes[table])").run()
    }
}
