import GRDB
import TributaryChanges

/// Finds shadows: by themselves, by their representative, and by their unique keys in `tributary_shadow_key`.
///
/// ``PartialRowTable`` reads and writes the rows of the shadows.
final class ShadowTable {
    private let db: Database
    private let codes: [Int64]
    @exclusivity(unchecked) private(set) var hasRows: Bool

    init(_ db: Database, layout: StoreModel) throws {
        self.db = db
        codes = layout.tables.map(\.code)
        hasRows = try db.hasRows("tributary_shadow_key")
    }

    /// The visible object that a shadow reads as; nil for an object that is no shadow.
    func representative(of id: UniqueID, _ table: Int) throws -> UniqueID? {
        guard hasRows else { return nil }
        let statement = try BoundStatement(
            db,
            "SELECT representative FROM tributary_object WHERE root = ?1 AND id = ?2"
        )
        statement.bind(1, codes[table])
        statement.bind(2, id)
        return try statement.first { $0.id(0) } ?? nil
    }

    func setRepresentative(_ representative: UniqueID, of id: UniqueID, _ table: Int) throws {
        let statement = try BoundStatement(
            db,
            "UPDATE tributary_object SET representative = ?3 WHERE root = ?1 AND id = ?2"
        )
        statement.bind(1, codes[table])
        statement.bind(2, id)
        statement.bind(3, representative)
        try statement.run()
    }

    /// The shadows that read as an object, in the order of their identifiers.
    func shadows(of representative: UniqueID, _ table: Int) throws -> [UniqueID] {
        guard hasRows else { return [] }
        let statement = try BoundStatement(
            db,
            """
            SELECT id FROM tributary_object INDEXED BY tributary_object_shadow
            WHERE root = ?1 AND representative = ?2 ORDER BY id
            """
        )
        statement.bind(1, codes[table])
        statement.bind(2, representative)
        return try ids(statement)
    }

    func all(_ table: Int) throws -> [UniqueID] {
        guard hasRows else { return [] }
        let statement = try BoundStatement(
            db,
            "SELECT DISTINCT id FROM tributary_shadow_key WHERE root = ?1 ORDER BY id"
        )
        statement.bind(1, codes[table])
        return try ids(statement)
    }

    // MARK: Keys

    /// The shadows that have a key.
    ///
    /// Former programs stored long keys whole.
    func holders(of key: StoredKey, _ table: Int) throws -> [UniqueID] {
        guard hasRows else { return [] }
        let statement = try BoundStatement(
            db,
            "SELECT id FROM tributary_shadow_key WHERE root = ?1 AND key IN (?2, ?3)"
        )
        statement.bind(1, codes[table])
        statement.bind(2, key.indexed)
        statement.bind(3, key.bytes)
        return try ids(statement)
    }

    func hasHolder(of key: StoredKey, _ table: Int) throws -> Bool {
        guard hasRows else { return false }
        let statement = try BoundStatement(
            db,
            "SELECT 1 FROM tributary_shadow_key WHERE root = ?1 AND key IN (?2, ?3) LIMIT 1"
        )
        statement.bind(1, codes[table])
        statement.bind(2, key.indexed)
        statement.bind(3, key.bytes)
        return try statement.first { _ in true } ?? false
    }

    func setKeys(_ keys: [StoredKey], of id: UniqueID, _ table: Int) throws {
        try removeKeys(of: id, table)
        let insert = try BoundStatement(
            db,
            "INSERT OR IGNORE INTO tributary_shadow_key(root, id, key) VALUES (?1, ?2, ?3)"
        )
        for key in keys {
            insert.bind(1, codes[table])
            insert.bind(2, id)
            insert.bind(3, key.indexed)
            try insert.run()
        }
        if !keys.isEmpty { hasRows = true }
    }

    func removeKeys(of id: UniqueID, _ table: Int) throws {
        guard hasRows else { return }
        let delete = try BoundStatement(db, "DELETE FROM tributary_shadow_key WHERE root = ?1 AND id = ?2")
        delete.bind(1, codes[table])
        delete.bind(2, id)
        try delete.run()
    }

    private func ids(_ statement: BoundStatement) throws -> [UniqueID] {
        var found: [UniqueID] = []
        try statement.forEach { row in if let id = row.id(0) { found.append(id) } }
        return found
    }
}
