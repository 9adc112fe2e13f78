import GRDB
import TributaryChanges

package struct ConflictReader {
    let reader: Reader

    /// The state of the object may be large, so only a restoration reads it.
    private static func select(withObject: Bool) -> String {
        """
        SELECT c.number, t.committed_at, c.kind, c.rule, c.entity, c.id, c.property,
            \(withObject ? "c.object" : "NULL"), c.restored,
            c.losing, c.losing_value, l.clock, lw.uuid, l.sequence, lw.name,
            c.winning, c.winning_value, w.clock, ww.uuid, w.sequence, ww.name
        FROM tributary_conflict c
        LEFT JOIN tributary_transaction t ON t.number = c.found
        JOIN tributary_transaction l ON l.number = c.losing
        JOIN tributary_writer lw ON lw.id = l.writer
        JOIN tributary_transaction w ON w.number = c.winning
        JOIN tributary_writer ww ON ww.id = w.writer
        """
    }

    /// Oldest first; stops when the values have `byteLimit` bytes.
    package func page(
        after number: Int64 = 0,
        limit: Int,
        byteLimit: Int = .max
    ) throws -> (found: [Conflict], hasMore: Bool) {
        let select = ConflictReader.select(withObject: false)
        let statement = try BoundStatement(
            reader.database,
            "\(select) WHERE c.number > ?1 ORDER BY c.number LIMIT ?2"
        )
        statement.bindAll(number, limit == .max ? limit : limit + 1)
        var found: [Conflict] = []
        var (bytes, hasMore) = (0, false)
        try statement.forEach { row in
            hasMore = found.count == limit || bytes > byteLimit
            guard !hasMore, let conflict = ConflictReader.conflict(row) else { return }
            for column: Int32 in [10, 16] { bytes += row.optionalText(column)?.utf8.count ?? 0 }
            found.append(conflict)
        }
        return (found, hasMore)
    }

    /// Newest first; stops when the values have `byteLimit` bytes.
    package func newest(limit: Int, byteLimit: Int) throws -> [Conflict] {
        let select = ConflictReader.select(withObject: false)
        let statement = try BoundStatement(reader.database, "\(select) ORDER BY c.number DESC LIMIT \(value: limit)")
        var found: [Conflict] = []
        var bytes = 0
        try statement.forEach { row in
            for column: Int32 in [10, 16] { bytes += row.optionalText(column)?.utf8.count ?? 0 }
            guard found.isEmpty || bytes <= byteLimit, let conflict = ConflictReader.conflict(row) else { return }
            found.append(conflict)
        }
        return found
    }

    package func conflict(_ number: Int64) throws -> Conflict? {
        return try BoundStatement(
            reader.database,
            "\(ConflictReader.select(withObject: true)) WHERE c.number = \(value: number)"
        ).first { ConflictReader.conflict($0) } ?? nil
    }

    func values(lostWith conflict: Conflict) throws -> [JSONMember] {
        let statement = try BoundStatement(
            reader.database,
            """
            SELECT property, losing_value FROM tributary_conflict WHERE id = ?1 AND kind = 'value' AND rule = 'deletion'
            AND losing_value IS NOT NULL
            AND winning = (SELECT winning FROM tributary_conflict WHERE number = ?2) ORDER BY number
            """
        )
        statement.bindAll(conflict.id, conflict.number)
        return try statement.all { row in
            JSONValue(text: row.text(1)).map { JSONMember(key: row.text(0), value: $0) }
        }
    }

    package func counts() throws -> ConflictCounts {
        let count = try BoundStatement(
            reader.database,
            """
            SELECT coalesce((SELECT max(number) FROM tributary_conflict)
                - (SELECT min(number) FROM tributary_conflict) + 1, 0)
            """
        )
        let kept = try count.first { $0.integer(0) } ?? 0
        let dropped = try reader.setting(ConflictTable.droppedKey).flatMap { Int($0) } ?? 0
        return ConflictCounts(kept: Int(kept), dropped: dropped)
    }

    private static func conflict(_ row: BoundStatement) -> Conflict? {
        guard let kind = Conflict.Kind(rawValue: row.text(2)), let rule = Conflict.Rule(name: row.text(3)),
            let id = row.id(5)
        else { return nil }
        return Conflict(
            number: row.integer(0),
            foundAt: row.double(1),
            kind: kind,
            rule: rule,
            entity: row.text(4),
            id: id,
            property: row.text(6),
            losing: write(row, at: 9),
            winning: write(row, at: 15),
            object: row.optionalText(7).flatMap { JSONValue(text: $0) },
            restored: row.optionalInteger(8)
        )
    }

    private static func write(_ row: BoundStatement, at first: Int32) -> Conflict.Write {
        Conflict.Write(
            version: Version(
                clock: row.clock(first + 2),
                writer: UniqueID(row.text(first + 3)) ?? Version.none.writer
            ),
            sequence: row.sequence(first + 4),
            writerName: row.optionalText(first + 5),
            value: row.optionalText(first + 1).flatMap { JSONValue(text: $0) }
        )
    }
}
