package import GRDB
package import TributaryChanges

/// Reads and writes `tributary_parked`: changes that the model cannot represent, in their original form.
package struct DeferredWriteTable {
    /// A change, or one value of an insert or update, with its original version.
    package struct Entry {
        package var change: Change
        var number: Int64
        var writer: Int64
        /// The index of the change in its transaction; negative when a baseline brought it, or a migration took it out
        /// of the tables.
        var position: Int
        /// The index of the value in its change; nil for a whole change.
        package var valueIndex: Int?
        /// Whether it is a greatest or least value of a baseline.
        package var isBound: Bool
    }

    package struct Content {
        var operation: String
        var property: String?
        var value: String?
    }

    let db: Database

    package init(db: Database) {
        self.db = db
    }

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

    /// Removes the values that one transaction wrote before `position`.
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

    /// In the order of the versions, and within a transaction in the order of its changes.
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

extension DeferredWriteTable.Content {
    package init(of operation: Change.Operation) {
        // The members keep their order, because it numbers the values of the change.
        func members(_ writes: [PropertyWrite]) -> String {
            JSONValue.object(writes.map { JSONMember(key: $0.name, value: $0.value) }).text
        }
        func list(_ ids: [UniqueID]) -> JSONMember {
            JSONMember(key: "ids", value: .array(ids.map { .string($0.description) }))
        }
        switch operation {
        case .insert(let writes): self.init(operation: "insert", value: members(writes))
        case .update(let writes): self.init(operation: "update", value: members(writes))
        case .delete: self.init(operation: "delete")
        case .link(let name, let ids, let positions):
            var value = [list(ids)]
            if let positions {
                value.append(JSONMember(key: "positions", value: .array(positions.map { .string($0) })))
            }
            self.init(operation: "link", property: name, value: JSONValue.object(value).text)
        case .unlink(let name, let ids):
            self.init(operation: "unlink", property: name, value: JSONValue.object([list(ids)]).text)
        }
    }

    package init(_ write: PropertyWrite, isInsert: Bool) {
        self.init(
            operation: isInsert ? "insert" : "update",
            property: write.name,
            value: String(decoding: write.value.canonicalBytes, as: UTF8.self)
        )
    }

    /// The operation of a greatest or least value of a baseline, which belongs to no transaction.
    static let bound = "bound"

    /// The operation of the change, or of its one value; nil for an unknown operation.
    var changeOperation: Change.Operation? {
        let json = value.flatMap { JSONValue(text: $0) }
        func writes() -> [PropertyWrite] {
            if let property, let json { return [PropertyWrite(name: property, value: json)] }
            guard case .object(let members)? = json else { return [] }
            return members.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        func texts(_ key: String) -> [String]? {
            guard case .array(let values)? = json?[key] else { return nil }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let ids = (texts("ids") ?? []).compactMap { UniqueID($0) }
        return switch operation {
        case "insert": .insert(writes())
        case "update", Self.bound: .update(writes())
        case "delete": .delete
        case "link": .link(to: property ?? "", ids: ids, positions: texts("positions"))
        case "unlink": .unlink(to: property ?? "", ids: ids)
        default: nil
        }
    }
}
