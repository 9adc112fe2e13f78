import GRDB
import TributaryChanges
import TributaryModel

/// Continues a store as another writer, in the write transaction of `db`.
struct WriterMinting {
    private struct Reissue {
        var number: Int64
        var sequence: UInt64
        var clock: HybridClock
    }

    private let db: Database
    private let context: StoreContext
    private let greatestClock: HybridClock?
    private let former: FormerWriter

    init(_ db: Database, context: StoreContext, _ mint: WriterMint) throws {
        self.db = db
        self.context = context
        greatestClock = mint.greatestClock
        former = try FormerWriter(db, mint)
    }

    private var environment: StoreEnvironment { context.configuration.environment }

    func run() throws -> MintedWriter {
        let transactions = try unpublished()
        let (floor, clocks) = try clocks(for: transactions)
        if let obstacle = try obstacle(transactions, clocks) { throw obstacle }
        let id = WriterNeighbours(of: former.id, among: try writersWithEqualClocks())
            .identifier(environment.newID(), near: former.id, random: environment.random)
        try keepTokens()
        let row = try replaceOwnRow(by: id, sequence: transactions.count, clock: max(floor, clocks.last ?? .zero))
        try move(transactions, to: row, clocks: clocks)
        let moved = try readOutbox()
        guard moved.count == transactions.count else {
            throw StoreError.database(code: 11, message: "the outbox lacks transactions of writer \(former.id)")
        }
        try restoreAnnouncements(moved.map(\.origin), to: row)
        try CounterMove(db, layout: context.layout, from: former.row, to: row).run(moved.map(\.origin.totals))
        try writeOutbox(moved, clocks: clocks)
        // Ranks contain writers; they are drawn again when they are needed.
        try db.execute(sql: "UPDATE tributary_reference SET rank = NULL WHERE rank IS NOT NULL")
        return MintedWriter(
            former: former.id,
            new: id,
            published: former.published,
            reissued: UInt64(transactions.count)
        )
    }

    /// The reason why the unpublished transactions cannot get clocks that are not ahead; nil when they can.
    func obstacle() throws -> WriterMintError? {
        let transactions = try unpublished()
        return try obstacle(transactions, clocks(for: transactions).clocks)
    }

    // MARK: Transactions

    private func unpublished() throws -> [Reissue] {
        let select = try BoundStatement(
            db,
            """
            SELECT number, sequence, clock FROM tributary_transaction
            WHERE writer = ?1 AND sequence > ?2 ORDER BY sequence
            """
        )
        select.bind(1, former.row)
        select.bind(2, Int64(bitPattern: former.published))
        var found: [Reissue] = []
        try select.forEach { row in
            found.append(
                Reissue(
                    number: row.integer(0),
                    sequence: UInt64(bitPattern: row.integer(1)),
                    clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(2)))
                )
            )
        }
        return found
    }

    /// Gives the transactions to the new writer; the versions of rows name their numbers, so that they move too.
    private func move(_ transactions: [Reissue], to row: Int64, clocks: [HybridClock]) throws {
        let update = try BoundStatement(
            db,
            "UPDATE tributary_transaction SET writer = ?2, sequence = ?3, clock = ?4 WHERE number = ?1"
        )
        for (index, transaction) in transactions.enumerated() {
            update.bind(1, transaction.number)
            update.bind(2, row)
            update.bind(3, Int64(index + 1))
            update.bind(4, Int64(bitPattern: clocks[index].rawValue))
            try update.run()
        }
    }

    // MARK: Clocks

    /// The condition of transactions that stay as they are.
    private static let stays = "NOT (t.writer = ?1 AND t.sequence > ?2) AND t.sequence > 0"

    private func select(_ sql: String) throws -> BoundStatement {
        let statement = try BoundStatement(db, sql)
        statement.bind(1, former.row)
        statement.bind(2, Int64(bitPattern: former.published))
        return statement
    }

    /// The greatest clock of the transactions that stay, of those that are not ahead.
    private func greatestOther(upTo greatest: HybridClock) throws -> HybridClock {
        let select = try select(
            """
            SELECT max(t.clock) FROM tributary_transaction t
            WHERE \(WriterMinting.stays) AND t.clock BETWEEN 0 AND ?3
            """
        )
        select.bind(3, Int64(clamping: greatest.rawValue))
        return HybridClock(rawValue: UInt64(bitPattern: try select.first { $0.integer(0) } ?? 0))
    }

    /// The clocks of transactions under the new writer, and the greatest one of those that stay and are not ahead.
    private func clocks(for transactions: [Reissue]) throws -> (floor: HybridClock, clocks: [HybridClock]) {
        let floor = try greatestClock.map { try greatestOther(upTo: $0) } ?? .zero
        let reissue = ReissueClocks(greatest: greatestClock, floor: floor, wall: environment.wallTime())
        return (floor, reissue.clocks(for: transactions.map(\.clock)))
    }

    /// The greatest clock of the transactions that stay and that a transaction has overwritten; nil when it is not known.
    private func leastClock(_ basis: ClockBasis?) -> HybridClock? {
        guard let basis else { return nil }
        // Some of the store's own transactions that did not count then may be published since.
        return basis.published < former.published ? max(basis.greatest, former.clock) : basis.greatest
    }

    /// The reason why new clocks would move a transaction before another one that it has overwritten; nil when there is
    /// none.
    private func obstacle(_ transactions: [Reissue], _ clocks: [HybridClock]) throws -> WriterMintError? {
        guard let greatestClock, let last = transactions.last?.clock, last > greatestClock else { return nil }
        let bases = try OutboxTable(db: db).bases(from: former.published + 1)
        let reissues = zip(transactions, clocks).map { transaction, clock in
            ReissueOrder.Reissue(
                number: transaction.number,
                clock: transaction.clock,
                newClock: clock,
                least: leastClock(bases[transaction.sequence])
            )
        }
        return ReissueOrder(try staying(after: greatestClock)).obstacle(reissues).map { staying in
            .restsOnAheadClock(writer: staying.writer, sequence: staying.sequence, clock: staying.clock)
        }
    }

    /// The transactions that stay and have greater clocks, by their numbers.
    private func staying(after greatest: HybridClock) throws -> [ReissueOrder.Staying] {
        let select = try select(
            """
            SELECT w.uuid, t.sequence, t.clock, t.number FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE \(WriterMinting.stays) AND (t.clock > ?3 OR t.clock < 0) ORDER BY t.number
            """
        )
        select.bind(3, Int64(clamping: greatest.rawValue))
        var found: [ReissueOrder.Staying] = []
        try select.forEach { row in
            guard let writer = UniqueID(row.text(0)) else { return }
            found.append(
                ReissueOrder.Staying(
                    number: row.integer(3),
                    writer: writer,
                    sequence: UInt64(bitPattern: row.integer(1)),
                    clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(2)))
                )
            )
        }
        return found
    }

    /// The other writers with a transaction whose clock a transaction that is issued again has too.
    private func writersWithEqualClocks() throws -> [UniqueID] {
        let select = try select(
            """
            SELECT DISTINCT w.uuid FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE \(WriterMinting.stays) AND t.clock IN (
                SELECT clock FROM tributary_transaction WHERE writer = ?1 AND sequence > ?2)
            """
        )
        var found: [UniqueID] = []
        try select.forEach { row in UniqueID(row.text(0)).map { found.append($0) } }
        return found
    }

    // MARK: Writers

    private func keepTokens() throws {
        let insert = try BoundStatement(db, "INSERT OR IGNORE INTO tributary_setting(key, value) VALUES (?1, ?2)")
        insert.bind(1, IdentityKeys.tokens)
        insert.bind(2, former.id.description)
        try insert.run()
    }

    /// - Returns: the row of the new writer.
    private func replaceOwnRow(by id: UniqueID, sequence: Int, clock: HybridClock) throws -> Int64 {
        let update = try BoundStatement(
            db,
            """
            UPDATE tributary_writer
            SET is_self = 0, state = 'former', sequence = ?2, clock = ?3, hash = ?4, announced = ?2 WHERE id = ?1
            """
        )
        update.bind(1, former.row)
        update.bind(2, Int64(bitPattern: former.published))
        update.bind(3, Int64(bitPattern: former.clock.rawValue))
        update.bind(4, former.hash)
        try update.run()
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_writer(uuid, name, sequence, clock, is_self) VALUES (?1, ?2, ?3, ?4, 1)"
        )
        insert.bind(1, id.description)
        insert.bind(2, former.name)
        insert.bind(3, Int64(sequence))
        insert.bind(4, Int64(bitPattern: clock.rawValue))
        try insert.run()
        let row = db.lastInsertedRowID
        if let greatestClock { try WriterTable.setAside(after: greatestClock, db) }
        return row
    }

    /// Gives the announcements of the former writer to the new one, and takes back those that are issued again.
    ///
    /// Without a transaction to issue again, the next one announces everything.
    private func restoreAnnouncements(_ origins: [OutgoingOrigin], to row: Int64) throws {
        guard !origins.isEmpty else {
            return try db.execute(sql: "UPDATE tributary_writer SET announced = 0 WHERE is_self = 0")
        }
        try db.execute(
            sql: """
                INSERT INTO tributary_seen(writer, other, sequence)
                SELECT ?1, other, sequence FROM tributary_seen WHERE writer = ?2
                """,
            arguments: [row, former.row]
        )
        if former.published > 0 {
            try db.execute(
                sql: "INSERT OR REPLACE INTO tributary_seen(writer, other, sequence) VALUES (?1, ?2, ?3)",
                arguments: [row, former.row, Int64(bitPattern: former.published)]
            )
        }
        var before: [UniqueID: UInt64] = [:]
        for origin in origins { before.merge(origin.announced) { first, _ in first } }
        let set = try BoundStatement(
            db,
            """
            UPDATE tributary_seen SET sequence = ?3
            WHERE writer = ?1 AND other IN (SELECT id FROM tributary_writer WHERE uuid = ?2)
            """
        )
        for (other, sequence) in before {
            set.bind(1, former.row)
            set.bind(2, other.description)
            set.bind(3, Int64(bitPattern: sequence))
            try set.run()
        }
        try db.execute(sql: "DELETE FROM tributary_seen WHERE sequence = 0")
    }

    // MARK: The outbox

    private struct Outgoing {
        var transaction: ExportableTransaction
        var origin: OutgoingOrigin
    }

    private func readOutbox() throws -> [Outgoing] {
        var found: [Outgoing] = []
        try OutboxTable(db: db).forEachOrigin(from: former.published + 1) { transaction, origin in
            found.append(Outgoing(transaction: transaction, origin: origin))
        }
        return found
    }

    /// Writes the outbox again, with the sequences of the new writer; nothing of it is exported.
    private func writeOutbox(_ outgoing: [Outgoing], clocks: [HybridClock]) throws {
        try db.execute(sql: "DELETE FROM tributary_outgoing; DELETE FROM tributary_export")
        var totals: [CountedTotals.Counter: PropertyValue] = [:]
        for (index, entry) in outgoing.enumerated() {
            let lines = try ReissuedLines(entry.transaction.lines)
            var header = lines.header
            header.sequence = UInt64(index + 1)
            header.clock = clocks[index]
            var origin = entry.origin
            for (counter, count) in origin.totals.counts {
                origin.totals.setTotal(before: totals[counter], of: counter)
                totals[counter] = count.added(to: totals[counter])
            }
            origin.basis = leastClock(origin.basis).map { ClockBasis(greatest: $0, published: 0) }
            if index == 0 {
                header.seen = try firstSeen(header.seen)
                origin.announced = header.seen.mapValues { _ in 0 }
            }
            try OutboxTable(db: db).insert(header, origin: origin, lines: lines.lines(with: header))
        }
    }

    /// The `seen` of the new writer's first transaction: everything that the former one has announced, and itself.
    private func firstSeen(_ own: [UniqueID: UInt64]) throws -> [UniqueID: UInt64] {
        var seen = own
        let select = try BoundStatement(
            db,
            """
            SELECT o.uuid, s.sequence FROM tributary_seen s JOIN tributary_writer o ON o.id = s.other
            WHERE s.writer = ?1 ORDER BY s.other
            """
        )
        select.bind(1, former.row)
        try select.forEach { row in
            guard let other = UniqueID(row.text(0)), seen.count < LogLimits.seenEntries - 1 else { return }
            seen[other] = max(seen[other] ?? 0, UInt64(bitPattern: row.integer(1)))
        }
        if former.published > 0 { seen[former.id] = former.published }
        return seen
    }
}
