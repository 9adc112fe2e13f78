import GRDB
package import TributaryChanges

package struct OutboxReader {
    let reader: Reader

    private var database: Database { reader.database }

    package func unfinishedExports() throws -> [ExportRange] { try ranges("sha256 IS NULL") }

    package func export(of writer: UniqueID, beginningAt first: UInt64) throws -> ExportRange? {
        try ranges("w.uuid = ?1 AND first = ?2") { $0.bindAll(writer.description, first) }.first
    }

    private func ranges(_ condition: String, _ bind: (BoundStatement) -> Void = { _ in }) throws -> [ExportRange] {
        let statement = try BoundStatement(
            database,
            """
            SELECT w.uuid, first, last, header FROM tributary_export JOIN tributary_writer w ON w.id = writer
            WHERE \(condition) ORDER BY writer, first
            """
        )
        bind(statement)
        return try statement.all { row in
            UniqueID(row.text(0)).map {
                ExportRange(writer: $0, first: row.sequence(1), last: row.sequence(2), header: row.text(3))
            }
        }
    }

    /// The own writers with unexported transactions, former writers first, each with its first such transaction.
    ///
    /// Costs a few steps for each writer in the outbox, and one for each of its segments.
    package func unexported() throws -> [(writer: UniqueID, first: UInt64)] {
        return try BoundStatement(
            database,
            """
            WITH RECURSIVE own(id) AS (
                SELECT min(writer) FROM tributary_outgoing WHERE writer > 0
                UNION ALL
                SELECT (SELECT min(o.writer) FROM tributary_outgoing o WHERE o.writer > own.id) FROM own
                WHERE own.id IS NOT NULL)
            SELECT w.uuid, (SELECT min(o.sequence) FROM tributary_outgoing o WHERE o.writer = own.id
                AND o.sequence > ifnull((SELECT max(last) FROM tributary_export e WHERE e.writer = own.id), 0)) AS first
            FROM own JOIN tributary_writer w ON w.id = own.id WHERE first IS NOT NULL ORDER BY own.id
            """
        ).all { row in UniqueID(row.text(0)).map { (writer: $0, first: row.sequence(1)) } }
    }

    /// O(n) for n unexported transactions and writers.
    package func waitingCount() throws -> Int {
        return try BoundStatement(
            database,
            """
            SELECT count(*) FROM tributary_writer w CROSS JOIN tributary_outgoing o ON o.writer = w.id
                AND o.sequence > ifnull((SELECT max(last) FROM tributary_export e WHERE e.writer = w.id), 0)
            """
        ).all { Int($0.integer(0)) }.first ?? 0
    }

    package func firstKept(of writer: UniqueID, from first: UInt64 = 0, through last: UInt64) throws -> UInt64? {
        try run(of: writer, from: first, through: last, bytes: 1)?.lowerBound
    }

    /// Whether the outbox has the lines of a whole range: the oldest lines are deleted first.
    package func keepsLines(of writer: UniqueID, _ range: ClosedRange<UInt64>) throws -> Bool {
        try firstKept(of: writer, from: range.lowerBound, through: range.upperBound) == range.lowerBound
    }

    package func hasChanges(of writer: UniqueID, in range: ClosedRange<UInt64>) throws -> Bool {
        let (first, last) = (range.lowerBound, range.upperBound)
        let changed = try select("1", of: writer, from: first, through: last, where: "changes > 0")
        return try changed.first { _ in true } ?? false
    }

    package func exporters() throws -> [UniqueID] {
        try writers("EXISTS (SELECT 1 FROM tributary_export WHERE writer = w.id AND sha256 IS NOT NULL)")
    }

    package func committers() throws -> [UniqueID] {
        try writers(
            """
            EXISTS (SELECT 1 FROM tributary_export WHERE writer = w.id)
            OR EXISTS (SELECT 1 FROM tributary_outgoing WHERE writer = w.id)
            """
        )
    }

    private func writers(_ condition: String) throws -> [UniqueID] {
        let statement = try BoundStatement(database, "SELECT uuid FROM tributary_writer w WHERE \(condition)")
        return try statement.all { UniqueID($0.text(0)) }
    }

    package func localTransactions(
        of writer: UniqueID,
        from first: UInt64,
        _ block: (ExportableTransaction) throws -> Bool
    ) throws {
        let statement = try select("sequence, lines, changes", of: writer, from: first)
        defer { statement.reset() }
        while try statement.step() {
            let transaction = ExportableTransaction(
                sequence: statement.sequence(0),
                lines: statement.bytes(1),
                changeCount: Int(statement.integer(2))
            )
            if try !block(transaction) { return }
        }
    }

    /// Ends at a gap: a store that was set back imports own transactions, and these are not in the outbox.
    package func run(
        of writer: UniqueID,
        from first: UInt64,
        through last: UInt64 = UInt64(Int64.max),
        bytes limit: Int = .max,
        step: () -> Void = {}
    ) throws -> ClosedRange<UInt64>? {
        let statement = try select("sequence, length(lines)", of: writer, from: first, through: last)
        defer { statement.reset() }
        var (run, bytes): (ClosedRange<UInt64>?, Int) = (nil, 0)
        while bytes < limit, try statement.step() {
            step()
            let sequence = statement.sequence(0)
            if let run, sequence != run.upperBound.addingSaturating(1) { break }
            run = (run?.lowerBound ?? sequence)...sequence
            bytes = bytes.addingSaturating(Int(statement.integer(1)))
        }
        return run
    }

    /// In pieces of at most 1 MiB; only the last piece of a transaction has the number of its changes.
    package func forEachPiece(
        of range: ExportRange,
        _ take: (_ lines: [UInt8], _ changes: Int?) throws -> Void
    ) throws {
        let statement = try select(
            "sequence, changes, CASE WHEN length(lines) <= \(LogTransaction.pieceSize) THEN lines END, o.id",
            of: range.writer,
            from: range.first,
            through: range.last
        )
        try statement.forEach { row in
            let changes = Int(row.integer(1))
            if !row.isNull(2) { return try take(row.bytes(2), changes) }
            let blob = try OutboxTable(db: database).blob(row.integer(3))
            var rest = blob.count
            try blob.read { piece in
                rest -= piece.count
                try take(Array(piece), rest > 0 ? nil : changes)
            }
        }
    }

    private func select(
        _ columns: String,
        of writer: UniqueID,
        from first: UInt64,
        through last: UInt64 = UInt64(Int64.max),
        where condition: String = "TRUE"
    ) throws -> BoundStatement {
        let statement = try BoundStatement(
            database,
            """
            SELECT \(columns) FROM tributary_outgoing o
            WHERE writer = (SELECT id FROM tributary_writer WHERE uuid = ?1) AND sequence BETWEEN ?2 AND ?3
                AND \(condition)
            ORDER BY sequence
            """
        )
        statement.bindAll(writer.description, Int64(clamping: first), Int64(clamping: last))
        return statement
    }
}

/// The transactions of one segment; committed before the file is renamed, so that an interrupted export can be repeated.
package struct ExportRange: Sendable, Hashable {
    package var writer: UniqueID
    package var first: UInt64
    package var last: UInt64
    package var header: String

    package init(writer: UniqueID, first: UInt64, last: UInt64, header: String) {
        self.writer = writer
        self.first = first
        self.last = last
        self.header = header
    }
}

package struct ExportableTransaction: Sendable, Hashable {
    package var sequence: UInt64
    package var lines: [UInt8]
    package var changeCount: Int
}
