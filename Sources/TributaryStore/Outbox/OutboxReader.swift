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
    package func localTransactions(
        from first: UInt64,
        _ block: (ExportableTransaction) throws -> Bool
    ) throws {
        try OutboxTable(db: database).forEach(from: first, block)
    }
}
