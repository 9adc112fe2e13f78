package import GRDB
import TributaryChanges

/// Writes the outbox: the lines of local transactions until their segment is in place.
package struct OutboxTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Adds a transaction with its lines; with nil for them, `count` bytes that ``blob(_:isWritable:)`` is to write.
    ///
    /// - Parameters:
    ///   - header: The header of the transaction.
    ///   - writer: The row of its writer.
    ///   - lines: Its lines.
    ///   - count: The number of bytes of lines that are written later.
    /// - Returns: The row of the transaction.
    /// - Throws: ``StoreError`` when the store cannot be written.
    @discardableResult
    func insert(_ header: TransactionHeader, writer: Int64, lines: [UInt8]?, count: Int = 0) throws -> Int64 {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_outgoing(writer, sequence, lines, changes) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bind(1, writer)
        insert.bind(2, Int64(bitPattern: header.sequence))
        if let lines { insert.bind(3, lines) } else { insert.bindZeros(3, count: count) }
        insert.bind(4, Int64(header.changeCount))
        try insert.run()
        // The statement is kept, and with it what is bound.
        insert.clearBindings()
        return db.lastInsertedRowID
    }

    func blob(_ row: Int64, isWritable: Bool = false) throws -> IncrementalBlob {
        try IncrementalBlob(db, table: "tributary_outgoing", column: "lines", row: row, isWritable: isWritable)
    }

    /// Deletes the transactions whose segment is in place.
    func deleteExported() throws {
        try db.execute(
            sql: """
                DELETE FROM tributary_outgoing WHERE EXISTS (
                    SELECT 1 FROM tributary_export e
                    WHERE e.writer = tributary_outgoing.writer AND e.sha256 IS NOT NULL AND sequence BETWEEN e.first AND e.last)
                """
        )
    }
}
