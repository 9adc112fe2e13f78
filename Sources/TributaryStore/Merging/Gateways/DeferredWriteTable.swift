package import GRDB
package import TributaryChanges

/// Reads and writes `tributary_parked`: changes that the model cannot represent, in their original form.
package struct DeferredWriteTable {
    /// A change, or one value of an insert or update, with its original version.
    package struct Entry {
        package var change: Change
        var number: Int64
        var writer: Int64
        /// The index of the change in its transaction; negative for what a baseline brought, or a migration took out of
        /// the tables.
        var position: Int
        /// The index of the value in its change; nil for a whole change.
        package var valueIndex: Int?
        /// Whether it is a greatest or least value of a baseline.
        package var isBound: Bool
    }

    /// The columns `operation`, `property` and `value` of an entry.
    package struct Content {
        var operation: String
        var property: String?
        var value: String?
    }

    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Defers a change; `position` and `valueIndex` have the meaning of an ``Entry``.
    package func insert(
        entity: String,
        id: UniqueID,
        _ content: Content,
        number: Int64,
        position: Int,
        valueIndex: Int?,
        reason: String
    ) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO
            tributary_parked(entity, id, version, position, part, operation, property, value, reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        statement.bind(1, entity)
        statement.bind(2, id)
        statement.bind(3, number)
        statement.bind(4, Int64(position))
        statement.bind(5, Int64(valueIndex ?? -1))
        statement.bind(6, content.operation)
        statement.bind(7, content.property)
        statement.bind(8, content.value)
        statement.bind(9, reason)
        try statement.run()
    }

    package func remove(_ entry: Entry) throws {
        let (position, part) = (Int64(entry.position), Int64(entry.valueIndex ?? -1))
        try remove(entry.change.entity, entry.change.id, entry.number, position, part)
    }

    private func remove(_ entity: String, _ id: UniqueID, _ number: Int64, _ position: Int64, _ part: Int64) throws {
        let delete = try BoundStatement(
            db,
            """
            DELETE FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position = ?4 AND part = ?5
            """
        )
        delete.bind(1, entity)
        delete.bind(2, id)
        delete.bind(3, number)
        delete.bind(4, position)
        delete.bind(5, part)
        try delete.run()
    }

    /// Removes the single values of an object that one transaction wrote before a position under certain names.
    func removeValues(
        _ entity: String,
        _ id: UniqueID,
        number: Int64,
        before position: Int,
        where isRemoved: (String) -> Bool
    ) throws {
        let select = try BoundStatement(
            db,
            """
            SELECT position, part, property FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position < ?4 AND part >= 0
            """
        )
        select.bind(1, entity)
        select.bind(2, id)
        select.bind(3, number)
        select.bind(4, Int64(position))
        var found: [(position: Int64, part: Int64)] = []
        try select.forEach { if isRemoved($0.text(2)) { found.append(($0.integer(0), $0.integer(1))) } }
        for key in found { try remove(entity, id, number, key.position, key.part) }
    }

    /// All entries in the order of their versions, those of one transaction in the order of its changes.
    package func entries() throws -> [Entry] {
        let select = try BoundStatement(
            db,
            """
            SELECT p.entity, p.id, p.operation, p.property, p.value, p.version, p.position, p.part, w.id
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version
            JOIN tributary_writer w ON w.id = t.writer
            ORDER BY t.clock, w.uuid, p.version, p.position, p.part
            """
        )
        var found: [Entry] = []
        try select.forEach { row in
            let content = Content(operation: row.text(2), property: row.optionalText(3), value: row.optionalText(4))
            guard let id = row.id(1), let operation = content.changeOperation else { return }
            found.append(
                Entry(
                    change: Change(entity: row.text(0), id: id, operation: operation),
                    number: row.integer(5),
                    writer: row.integer(8),
                    position: Int(row.integer(6)),
                    valueIndex: row.integer(7) < 0 ? nil : Int(row.integer(7)),
                    isBound: content.operation == Content.bound
                )
            )
        }
        return found
    }
}
