package import GRDB
package import TributaryChanges

/// Reads and writes `tributary_parked`: changes that the model cannot represent, in their original form.
package struct DeferredWriteTable {
    /// A change, or one value of an insert or update, with its original version.
    package struct Entry {
        package var change: Change
        /// The number of the version, including the index of the change.
        var number: Int64
        /// The number in the table's form: tables of early stores have no index in it.
        var storedNumber: Int64
        var version: Version
        var writer: Int64
        /// The index of the change in its transaction; negative for values that a migration took out of the tables.
        var index: Int
        /// The index of the value in its change; nil for a whole change.
        package var valueIndex: Int?
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

    /// Defers a change; `index` and `valueIndex` have the meaning of an ``Entry``.
    package func insert(
        entity: String,
        id: UniqueID,
        _ content: Content,
        number: Int64,
        index: Int,
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
        statement.bind(4, Int64(index))
        statement.bind(5, Int64(valueIndex ?? -1))
        statement.bind(6, content.operation)
        statement.bind(7, content.property)
        statement.bind(8, content.value)
        statement.bind(9, reason)
        try statement.run()
    }

    package func remove(_ entry: Entry) throws {
        let delete = try BoundStatement(
            db,
            """
            DELETE FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position = ?4 AND part = ?5
            """
        )
        delete.bind(1, entry.change.entity)
        delete.bind(2, entry.change.id)
        delete.bind(3, entry.storedNumber)
        delete.bind(4, Int64(entry.index))
        delete.bind(5, Int64(entry.valueIndex ?? -1))
        try delete.run()
    }

    /// All entries in the order of their versions.
    package func entries() throws -> [Entry] {
        let select = try BoundStatement(
            db,
            """
            SELECT p.entity, p.id, p.operation, p.property, p.value, p.version, p.position, p.part,
                t.clock, w.uuid, w.id
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version & \(VersionNumber.transactionMask)
            JOIN tributary_writer w ON w.id = t.writer
            ORDER BY t.clock, w.uuid, max(p.version >> \(VersionNumber.transactionBits), p.position), p.position, p.part
            """
        )
        var found: [Entry] = []
        try select.forEach { row in
            let content = Content(operation: row.text(2), property: row.optionalText(3), value: row.optionalText(4))
            guard let id = row.id(1), let operation = content.changeOperation else { return }
            let index = Int(row.integer(6))
            let version = Version(
                clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(8))),
                writer: UniqueID(row.text(9)) ?? Version.none.writer
            )
            found.append(
                Entry(
                    change: Change(entity: row.text(0), id: id, operation: operation),
                    number: VersionNumber.number(row.integer(5), atLeast: index),
                    storedNumber: row.integer(5),
                    version: version,
                    writer: row.integer(10),
                    index: index,
                    valueIndex: row.integer(7) < 0 ? nil : Int(row.integer(7))
                )
            )
        }
        return found
    }
}
