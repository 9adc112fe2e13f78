import GRDB
import TributaryChanges

/// Writes the outbox: the lines of local transactions until others have them, and the ranges of segments.
struct OutboxTable {
    let db: Database

    /// The writer 0 marks a piece of a transaction; if `lines` is nil, ``blob(_:isWritable:)`` writes `count` bytes later.
    @discardableResult
    func insert(writer: Int64, sequence: UInt64, lines: [UInt8]?, count: Int = 0, changes: Int = 0) throws -> Int64 {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_outgoing(writer, sequence, lines, changes) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bindAll(writer, sequence)
        insert.bind(4, Int64(changes))
        // The statement is cached, and would keep its arguments in memory.
        defer { insert.clearBindings() }
        if let lines {
            try lines.withUnsafeBytes { bytes in
                insert.bind(3, lasting: bytes)
                try insert.run()
            }
        } else {
            insert.bindZeros(3, count: count)
            try insert.run()
        }
        return db.lastInsertedRowID
    }

    func deletePieces() throws { try BoundStatement(db, "DELETE FROM tributary_outgoing WHERE writer = 0").run() }

    func blob(_ row: Int64, isWritable: Bool = false) throws -> IncrementalBlob {
        try IncrementalBlob(db, table: "tributary_outgoing", column: "lines", row: row, isWritable: isWritable)
    }

    /// Costs a few steps for each deleted transaction.
    func deleteExported(writer: Int64, through last: UInt64) throws {
        let delete = try BoundStatement(
            db,
            """
            DELETE FROM tributary_outgoing WHERE writer = ?1 AND sequence <= min(?2, ifnull(
                (SELECT max(last) FROM tributary_export WHERE writer = ?1 AND sha256 IS NOT NULL), 0))
            """
        )
        delete.bindAll(writer, Int64(clamping: last))
        try delete.run()
    }

    func begin(_ range: ExportRange, writer: Int64) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_export(writer, first, last, header, sha256) VALUES (?1, ?2, ?3, ?4, NULL)"
        )
        insert.bindAll(writer, range.first, range.last, range.header)
        try insert.run()
    }

    func giveUp(_ range: ExportRange, writer: Int64) throws {
        let delete = try BoundStatement(
            db,
            "DELETE FROM tributary_export WHERE writer = ?1 AND first = ?2 AND sha256 IS NULL"
        )
        delete.bindAll(writer, range.first)
        try delete.run()
    }

    func finish(_ range: ExportRange, writer: Int64, sha256: String) throws {
        let update = try BoundStatement(db, "UPDATE tributary_export SET sha256 = ?3 WHERE writer = ?1 AND first = ?2")
        update.bindAll(writer, range.first, sha256)
        try update.run()
    }
}
