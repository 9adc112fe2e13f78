import GRDB
import TributaryChanges

struct TransactionTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    @discardableResult
    func insert(
        _ header: TransactionHeader,
        writer: Int64,
        context: String? = nil,
        number: Int64? = nil,
        at now: WallTime
    ) throws -> Int64 {
        let insert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_transaction(number, writer, sequence, clock, author, context, committed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        )
        insert.bindAll(number, writer, header.sequence, header.clock, header.author, context, now.unixSeconds)
        try insert.run()
        return number ?? db.lastInsertedRowID
    }

    func setClock(_ clock: HybridClock, of number: Int64) throws {
        let update = try BoundStatement(db, "UPDATE tributary_transaction SET clock = ?2 WHERE number = ?1")
        update.bindAll(number, clock)
        try update.run()
    }

    func clock(of number: Int64) throws -> HybridClock? {
        let select = try BoundStatement(db, "SELECT clock FROM tributary_transaction WHERE number = ?1")
        select.bind(1, number)
        return try select.first { $0.clock(0) }
    }

    func remove(_ number: Int64) throws {
        try BoundStatement(db, "DELETE FROM tributary_transaction WHERE number = \(value: number)").run()
    }

    func newest() throws -> WriterToken.Newest {
        return try BoundStatement(
            db,
            "SELECT number, clock FROM tributary_transaction ORDER BY number DESC LIMIT 1"
        ).first { row in
            .init(number: row.integer(0), clock: row.clock(1))
        } ?? .init(number: 0, clock: .zero)
    }

    /// Stops at the first transaction from `seconds` on; ignores times after `wall`, because the wall clock was ahead.
    func last(after first: Int64, committedBefore seconds: Double, wall: WallTime) throws -> Int64 {
        let select = try BoundStatement(
            db,
            """
            SELECT min(ifnull(max(number), 0), ifnull((SELECT number FROM tributary_transaction
                WHERE number > ?1 AND committed_at BETWEEN ?2 AND ?3 ORDER BY number LIMIT 1) - 1, max(number)))
            FROM tributary_transaction WHERE committed_at < ?2
            """
        )
        select.bindAll(first, seconds, wall.unixSeconds)
        return try select.first { $0.integer(0) } ?? 0
    }
}

struct TransactionOrigin {
    var version: Version
    var origin: WriteOrigin<Int64>
    var committedAt: WallTime

    static func select(_ db: Database) throws -> BoundStatement {
        try BoundStatement(
            db,
            """
            SELECT t.clock, w.uuid, t.writer, t.sequence, t.committed_at FROM tributary_transaction t
            JOIN tributary_writer w ON w.id = t.writer WHERE t.number = ?1
            """
        )
    }

    init(_ row: BoundStatement) {
        version = Version(
            clock: row.clock(0),
            writer: UniqueID(row.text(1)) ?? Version.none.writer
        )
        origin = WriteOrigin(writer: row.integer(2), sequence: row.sequence(3))
        committedAt = WallTime(unixSeconds: row.double(4))
    }
}
