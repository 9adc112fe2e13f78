package import GRDB
package import TributaryChanges

/// Reads and writes `tributary_parked`: changes that the model cannot represent, in their original form.
package struct DeferredWriteTable {
    package struct Entry {
        package var change: Change
        var number: Int64
        /// The index in the transaction; negative for a change from a baseline or a migration.
        var position: Int
        package var valueIndex: Int?
        /// Whether it is a greatest or least value of a baseline, which belongs to no transaction.
        package var isBound: Bool
        /// Whether the line has taken effect and is kept only for the order of its transaction; its reason is empty.
        var isKept: Bool
        fileprivate var size = 0

        package init(
            _ change: Change,
            number: Int64,
            position: Int,
            valueIndex: Int? = nil,
            isBound: Bool = false,
            isKept: Bool = false
        ) {
            self.change = change
            self.number = number
            self.position = position
            self.valueIndex = valueIndex
            self.isBound = isBound
            self.isKept = isKept
        }

        fileprivate init?(_ row: BoundStatement) {
            let content = Content(operation: row.text(2), property: row.optionalText(3), value: row.optionalText(4))
            guard let id = row.id(1), let operation = content.changeOperation else { return nil }
            self.init(
                Change(entity: row.text(0), id: id, operation: operation),
                number: row.integer(5),
                position: Int(row.integer(6)),
                valueIndex: row.integer(7) < 0 ? nil : Int(row.integer(7)),
                isBound: content.operation == Content.bound,
                isKept: row.integer(8) != 0
            )
            size = content.value?.utf8.count ?? 0
        }

        fileprivate func isOfLine(of other: Entry) -> Bool {
            number == other.number && position == other.position && change.entity == other.change.entity
                && change.id == other.change.id
                && change.operation.valueWrites?.isInsert == other.change.operation.valueWrites?.isInsert
        }
    }

    let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func insert(_ entry: Entry, reason: String) throws {
        let content = Content(entry)
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO
            tributary_parked(entity, id, version, position, part, operation, property, value, reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        statement.bind(1, entry.change.entity)
        statement.bind(2, entry.change.id)
        statement.bind(3, entry.number)
        statement.bind(4, Int64(entry.position))
        statement.bind(5, Int64(entry.valueIndex ?? -1))
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
        let change = entry.change
        delete.bindAll(change.entity, change.id, entry.number, entry.position, entry.valueIndex ?? -1)
        try delete.run()
    }

    package func forEachBound(_ body: (Entry) throws -> Void) throws {
        try forEach("operation = '\(Content.bound)'", orderedBy: "id, version, position, part, entity", body)
    }

    package struct Line {
        package var number: Int64
        package var change: Change
        var position: Int
        package var isDeferred: Bool
        package var size: Int
    }

    /// In the order of versions, then of lines, with one in memory; `body` may remove and insert lines.
    package func forEachLine(_ body: (Line) throws -> Void) throws {
        var line: Line?
        var first: Entry?
        // Further parts of a line are added in one step, because each step copies the line.
        var more: [PropertyWrite] = []
        func end() throws {
            guard var line else { return }
            if !more.isEmpty { line.change = line.change.withValues { $0 + more } }
            more = []
            try body(line)
        }
        let order = "clock, writer, version, position, entity, id, part"
        try forEach("operation <> '\(Content.bound)'", orderedBy: order) { entry in
            guard let known = first, known.isOfLine(of: entry) else {
                try end()
                line = Line(
                    number: entry.number,
                    change: entry.change,
                    position: entry.position,
                    isDeferred: !entry.isKept,
                    size: entry.size
                )
                return first = entry
            }
            line?.size += entry.size
            if !entry.isKept { line?.isDeferred = true }
            // A whole line comes first, and has all values.
            if known.valueIndex != nil { more += entry.change.operation.valueWrites?.writes ?? [] }
        }
        try end()
    }

    package func removeLines(of number: Int64) throws {
        let delete = try BoundStatement(
            db,
            "DELETE FROM tributary_parked WHERE version = ?1 AND operation <> 'bound'"
        )
        delete.bind(1, number)
        try delete.run()
    }

    func forEachByObject(_ body: (Entry) throws -> Void) throws {
        try forEach("TRUE", orderedBy: "id, version, position, part, entity", body)
    }

    /// A temporary file of SQLite sorts the entries, so that memory stays bounded: O(n log n) for n entries.
    private func forEach(
        _ condition: String,
        orderedBy order: String,
        _ body: (Entry) throws -> Void
    ) throws {
        let select = try BoundStatement(
            db,
            """
            SELECT p.entity, p.id, p.operation, p.property, p.value, p.version, p.position, p.part, p.reason = '',
                t.clock, w.uuid
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version
            JOIN tributary_writer w ON w.id = t.writer
            WHERE \(condition)
            """
        )
        guard try select.first({ _ in true }) != nil else { return }
        try DatabaseQueue.scratch { scratch in
            let columns = "entity, id, operation, property, value, version, position, part, is_kept, clock, writer"
            try scratch.execute(sql: "CREATE TABLE entry(\(columns))")
            let insert = try BoundStatement(
                scratch,
                "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            )
            try select.forEach { row in
                insert.bind(rowOf: row)
                try insert.run()
            }
            try BoundStatement(scratch, "SELECT \(columns) FROM entry ORDER BY \(order)").forEach { row in
                if let entry = Entry(row) { try body(entry) }
            }
        }
    }

    func deletions(of id: UniqueID) throws -> [Int64] {
        let select = try BoundStatement(
            db,
            "SELECT version FROM tributary_parked WHERE id = ?1 AND operation = 'delete'"
        )
        select.bind(1, id)
        var numbers: [Int64] = []
        try select.forEach { numbers.append($0.integer(0)) }
        return numbers
    }
}

extension DeferredWriteTable {
    package func nextValueIndex(_ entity: String, _ id: UniqueID, number: Int64, position: Int) throws -> Int {
        try aggregate("max(part)", entity, id, number, position...position).map { $0 + 1 } ?? 0
    }

    package func leastPosition(
        _ entity: String,
        _ id: UniqueID,
        number: Int64,
        in positions: ClosedRange<Int>
    ) throws -> Int? {
        try aggregate("min(position)", entity, id, number, positions)
    }

    private func aggregate(
        _ function: String,
        _ entity: String,
        _ id: UniqueID,
        _ number: Int64,
        _ positions: ClosedRange<Int>
    ) throws -> Int? {
        let select = try BoundStatement(
            db,
            """
            SELECT \(function) FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position BETWEEN ?4 AND ?5
            """
        )
        select.bindAll(entity, id, number, Int64(positions.lowerBound), Int64(positions.upperBound))
        return try select.first { $0.optionalInteger(0).map { Int($0) } } ?? nil
    }

    package func newestValue(of property: String, _ id: UniqueID) throws -> (value: JSONValue, entity: String)? {
        let select = try BoundStatement(
            db,
            """
            SELECT p.value, p.entity FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version
            JOIN tributary_writer w ON w.id = t.writer
            WHERE p.id = ?1 AND p.property = ?2 AND p.part >= 0
            ORDER BY t.clock DESC, w.uuid DESC, p.version DESC, p.position DESC, p.part DESC LIMIT 1
            """
        )
        select.bindAll(id, property)
        return try select.first { row in JSONValue(text: row.text(0)).map { ($0, row.text(1)) } } ?? nil
    }
}

extension DeferredWriteTable {
    /// Migrations use other negative positions; a line without a reason has taken effect.
    private static let isImported = """
        reason <> '' AND (position >= 0 OR position BETWEEN \(TransactionCursor.joinedPositions.lowerBound) \
        AND \(TransactionCursor.joinedPositions.upperBound))
        """

    static let insertedIDs = "SELECT id FROM tributary_parked WHERE operation = 'insert'"

    func importedCount() throws -> Int {
        let rows = "SELECT 1 FROM tributary_parked WHERE \(Self.isImported) LIMIT \(DeferredCounts.limit)"
        return Int(try BoundStatement(db, "SELECT count(*) FROM (\(rows))").first { $0.integer(0) } ?? 0)
    }

    func importedBounds() throws -> [Int64] {
        try ["min", "max"].compactMap { function in
            let sql = "SELECT \(function)(version) FROM tributary_parked WHERE \(Self.isImported)"
            return try BoundStatement(db, CachedSQL(sql)).first { $0.optionalInteger(0) } ?? nil
        }
    }

    func importedClock() throws -> HybridClock? {
        let sql = """
            SELECT max(t.clock) FROM tributary_parked p JOIN tributary_transaction t ON t.number = p.version
            WHERE \(Self.isImported)
            """
        return try BoundStatement(db, CachedSQL(sql)).first { row in row.optionalInteger(0).map { _ in row.clock(0) } }
            ?? nil
    }

    func importedTransactions(after number: Int64) throws -> [(number: Int64, count: Int)] {
        let select = try BoundStatement(
            db,
            """
            SELECT version, count(*) FROM tributary_parked WHERE version > ?1 AND \(Self.isImported)
            GROUP BY version
            """
        )
        select.bind(1, number)
        var found: [(number: Int64, count: Int)] = []
        try select.forEach { found.append(($0.integer(0), Int($0.integer(1)))) }
        return found
    }

    func imported(of number: Int64?, limit: Int, _ origins: inout DeferredOrigins) throws -> [DeferredWrite] {
        let select = try BoundStatement(
            db,
            """
            SELECT version, position, operation, entity, id, property,
                substr(value, 1, \(constant: DeferredWrite.valueLimit)), reason
            FROM tributary_parked WHERE \(Self.isImported) AND \(number == nil ? "TRUE" : "version = ?1")
            ORDER BY \(number == nil ? "version DESC, " : "")position, part LIMIT ?2
            """
        )
        select.bindAll(number, Int64(limit))
        var found: [DeferredWrite] = []
        try select.forEach { row in
            guard let origin = try origins.origin(row.integer(0)), let object = row.id(4) else { return }
            found.append(
                DeferredWrite(
                    cause: .model,
                    writer: origin.writer,
                    sequence: origin.sequence,
                    index: row.integer(1) < 0 ? nil : Int(row.integer(1)),
                    operation: row.text(2),
                    entity: row.text(3),
                    object: object,
                    property: row.optionalText(5),
                    value: row.optionalText(6),
                    reason: row.text(7),
                    since: origin.since
                )
            )
        }
        return found
    }
}

private struct Content {
    static let bound = "bound"

    var operation: String
    var property: String?
    var value: String?

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
        case "update", Content.bound: .update(writes())
        case "delete": .delete
        case "link": .link(to: property ?? "", ids: ids, positions: texts("positions"))
        case "unlink": .unlink(to: property ?? "", ids: ids)
        default: nil
        }
    }
}

extension Content {
    init(_ entry: DeferredWriteTable.Entry) {
        let change = entry.change.operation
        operation =
            switch change {
            case .insert: "insert"
            case .update: entry.isBound ? Content.bound : "update"
            case .delete: "delete"
            case .link: "link"
            case .unlink: "unlink"
            }
        if let (writes, _) = change.valueWrites {
            if entry.valueIndex != nil, let write = writes.first {
                property = write.name
                value = String(decoding: write.value.canonicalBytes, as: UTF8.self)
            } else {
                // The members keep their order, because it numbers the values of the change.
                value = JSONValue.object(writes.map { JSONMember(key: $0.name, value: $0.value) }).text
            }
        }
        if let (name, ids, positions, _) = change.pairs {
            property = name
            value =
                JSONValue.members([
                    "ids": .array(ids.map { .string($0.description) }),
                    "positions": positions.map { JSONValue.array($0.map(JSONValue.string)) },
                ]).text
        }
    }
}
