import GRDB
package import TributaryChanges

/// Reads local transactions and the ranges of their export.
///
/// Its functions throw ``StoreError`` when the store cannot be read.
package struct OutboxReader {
    let reader: Reader

    private var database: Database { reader.database }

    /// The export ranges whose file is not yet known to have its final name, oldest first.
    package func unfinishedExports() throws -> [ExportRange] {
        let statement = try BoundStatement(
            database,
            "SELECT first, last, header FROM tributary_export WHERE sha256 IS NULL ORDER BY first"
        )
        var found: [ExportRange] = []
        try statement.forEach { row in
            found.append(
                ExportRange(
                    first: UInt64(bitPattern: row.integer(0)),
                    last: UInt64(bitPattern: row.integer(1)),
                    header: row.text(2)
                )
            )
        }
        return found
    }

    /// The export range that begins with this sequence; nil when there is none.
    package func export(beginningAt first: UInt64) throws -> ExportRange? {
        let statement = try BoundStatement(
            database,
            "SELECT first, last, header FROM tributary_export WHERE first = ?1"
        )
        statement.bind(1, Int64(bitPattern: first))
        return try statement.first { row in
            ExportRange(
                first: UInt64(bitPattern: row.integer(0)),
                last: UInt64(bitPattern: row.integer(1)),
                header: row.text(2)
            )
        }
    }

    /// The last sequence of all export ranges, 0 when there is none.
    package func lastExported() throws -> UInt64 {
        // Each local commit asks; the ranges follow each other, so that the last one ends last.
        let statement = try BoundStatement(database, "SELECT last FROM tributary_export ORDER BY first DESC LIMIT 1")
        return UInt64(bitPattern: try statement.first { $0.integer(0) } ?? 0)
    }

    /// The clocks of the local transactions after a sequence, in order.
    package func clocks(after sequence: UInt64) throws -> [HybridClock] {
        let select = try BoundStatement(
            database,
            """
            SELECT clock FROM tributary_transaction
            WHERE writer = (SELECT id FROM tributary_writer WHERE is_self = 1) AND sequence > ?1 ORDER BY sequence
            """
        )
        select.bind(1, Int64(bitPattern: sequence))
        var found: [HybridClock] = []
        try select.forEach { row in found.append(HybridClock(rawValue: UInt64(bitPattern: row.integer(0)))) }
        return found
    }

    /// Hands local transactions from `first` on to `block`, oldest first, until it returns false.
    package func localTransactions(from first: UInt64, _ block: (ExportableTransaction) throws -> Bool) throws {
        let statement = try BoundStatement(
            database,
            "SELECT sequence, lines, changes FROM tributary_outgoing WHERE sequence >= ?1 ORDER BY sequence"
        )
        statement.bind(1, Int64(bitPattern: first))
        defer { statement.reset() }
        while try statement.step() {
            let transaction = ExportableTransaction(
                sequence: UInt64(bitPattern: statement.integer(0)),
                lines: statement.bytes(1),
                changeCount: Int(statement.integer(2))
            )
            if try !block(transaction) { return }
        }
    }

    /// Hands the number of bytes in the lines of each transaction from `first` on to `block`, oldest first, until it
    /// returns false; O(1) for each.
    package func sizes(from first: UInt64, _ block: (_ sequence: UInt64, _ bytes: Int) throws -> Bool) throws {
        let statement = try BoundStatement(
            database,
            "SELECT sequence, length(lines) FROM tributary_outgoing WHERE sequence >= ?1 ORDER BY sequence"
        )
        statement.bind(1, Int64(bitPattern: first))
        defer { statement.reset() }
        while try statement.step() {
            if try !block(UInt64(bitPattern: statement.integer(0)), Int(statement.integer(1))) { return }
        }
    }

    /// Hands the lines of the transactions in a range to `take`, oldest first and in pieces of at most 1 MiB; the last piece
    /// of a transaction comes with the number of its changes.
    package func forEachPiece(
        from first: UInt64,
        through last: UInt64,
        _ take: (_ lines: [UInt8], _ changes: Int?) throws -> Void
    ) throws {
        let statement = try BoundStatement(
            database,
            """
            SELECT sequence, changes, CASE WHEN length(lines) <= \(LogTransaction.pieceSize) THEN lines END
            FROM tributary_outgoing WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence
            """
        )
        statement.bind(1, Int64(bitPattern: first))
        statement.bind(2, Int64(bitPattern: last))
        try statement.forEach { row in
            let changes = Int(row.integer(1))
            if !row.isNull(2) { return try take(row.bytes(2), changes) }
            let blob = try OutboxTable(db: database).blob(UInt64(bitPattern: row.integer(0)))
            var rest = blob.count
            try blob.read { piece in
                rest -= piece.count
                try take(Array(piece), rest > 0 ? nil : changes)
            }
        }
    }
}
