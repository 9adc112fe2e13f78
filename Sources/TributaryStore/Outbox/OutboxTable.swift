package import GRDB
import TributaryChanges

/// Reads and writes the outbox: the lines of local transactions until their segment is in place.
package struct OutboxTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Adds a transaction with its lines; with nil for them, `count` bytes that ``blob(_:isWritable:)`` is to write.
    func insert(_ header: TransactionHeader, origin: OutgoingOrigin, lines: [UInt8]?, count: Int = 0) throws {
        let insert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_outgoing(sequence, lines, changes, totals, announced, basis)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        )
        insert.bind(1, Int64(bitPattern: header.sequence))
        if let lines { insert.bind(2, lines) } else { insert.bindZeros(2, count: count) }
        insert.bind(3, Int64(header.changeCount))
        insert.bind(4, origin.totals.encoded)
        insert.bind(5, origin.encodedAnnounced)
        insert.bind(6, origin.basis?.encoded)
        try insert.run()
        // The statement is kept, and with it what is bound.
        insert.clearBindings()
    }

    func blob(_ sequence: UInt64, isWritable: Bool = false) throws -> IncrementalBlob {
        let row = Int64(bitPattern: sequence)
        return try IncrementalBlob(db, table: "tributary_outgoing", column: "lines", row: row, isWritable: isWritable)
    }

    /// Hands the transactions from `first` on to `block`, oldest first, each with what it changed of the own records.
    func forEachOrigin(from first: UInt64, _ block: (ExportableTransaction, OutgoingOrigin) throws -> Void) throws {
        let statement = try BoundStatement(
            db,
            """
            SELECT sequence, lines, changes, totals, announced, basis FROM tributary_outgoing
            WHERE sequence >= ?1 ORDER BY sequence
            """
        )
        statement.bind(1, Int64(bitPattern: first))
        try statement.forEach { row in
            let transaction = ExportableTransaction(
                sequence: UInt64(bitPattern: row.integer(0)),
                lines: row.bytes(1),
                changeCount: Int(row.integer(2))
            )
            let totals = row.withBytes(3, CountedTotals.init(encoded:))
            let announced = row.withBytes(4, OutgoingOrigin.announced)
            let basis = row.withBytes(5, ClockBasis.init(encoded:))
            try block(transaction, OutgoingOrigin(totals: totals, announced: announced, basis: basis))
        }
    }

    /// The basis of the clocks of the transactions from `first` on, by sequence, where it is known.
    func bases(from first: UInt64) throws -> [UInt64: ClockBasis] {
        let select = try BoundStatement(db, "SELECT sequence, basis FROM tributary_outgoing WHERE sequence >= ?1")
        select.bind(1, Int64(bitPattern: first))
        var found: [UInt64: ClockBasis] = [:]
        try select.forEach { row in
            found[UInt64(bitPattern: row.integer(0))] = row.withBytes(1, ClockBasis.init(encoded:))
        }
        return found
    }

    /// Gives the counters that the transactions have counted their places in another model.
    ///
    /// The cost is that of the transactions in the outbox.
    package func moveCounters(_ place: (CountedTotals.Counter) -> CountedTotals.Counter?) throws {
        let select = try BoundStatement(db, "SELECT sequence, totals FROM tributary_outgoing WHERE totals IS NOT NULL")
        let update = try BoundStatement(db, "UPDATE tributary_outgoing SET totals = ?2 WHERE sequence = ?1")
        var moved: [(sequence: Int64, totals: CountedTotals)] = []
        try select.forEach { row in
            moved.append((row.integer(0), row.withBytes(1, CountedTotals.init(encoded:)).moved(place)))
        }
        for entry in moved {
            update.bind(1, entry.sequence)
            update.bind(2, entry.totals.encoded)
            try update.run()
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
