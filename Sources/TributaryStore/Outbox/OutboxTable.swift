import GRDB
import TributaryChanges

/// Reads and writes the outbox: the lines of local transactions until their segment is in place.
struct OutboxTable {
    let db: Database

    /// Adds a transaction.
    ///
    /// - Parameters:
    ///   - header: the header of the transaction.
    ///   - lines: its lines in a segment, the line of the header included.
    /// - Throws: ``StoreError`` of SQLite.
    func insert(_ header: TransactionHeader, lines: [UInt8]) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_outgoing(sequence, lines, changes) VALUES (?1, ?2, ?3)"
        )
        insert.bind(1, Int64(bitPattern: header.sequence))
        insert.bind(2, lines)
        insert.bind(3, Int64(header.changeCount))
        try insert.run()
    }

    /// Hands the transactions from `first` on to `block`, oldest first, until it returns false.
    func forEach(from first: UInt64, _ block: (ExportableTransaction) throws -> Bool) throws {
        let statement = try BoundStatement(
            db,
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

    /// Deletes the transactions whose segment is in place.
    func deleteExported() throws {
        try db.execute(
            sql: """
                DELETE FROM tributary_outgoing WHERE EXISTS (
                    SELECT 1 FROM tributary_export e
                    WHERE e.sha256 IS NOT NULL AND sequence BETWEEN e.first AND e.last)
                """
        )
    }
}
