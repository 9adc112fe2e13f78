import GRDB
import TributaryChanges

/// Reads and writes the writers' rows within one write transaction.
final class WriterTable {
    struct Position {
        var id: Int64
        var sequence: UInt64
        var clock: HybridClock
    }

    /// A line of the log: the writer's first one, with an empty branch, or one of its branches.
    private struct Line: Hashable {
        var writer: UniqueID
        var branch: String
    }

    private let db: Database
    private var positions: [Line: Position] = [:]
    private(set) var own: UniqueID
    /// The sequences announced earlier for the writers that the last announcement names.
    private(set) var announcedBefore: [UniqueID: UInt64] = [:]
    private let update: BoundStatement
    private let select: BoundStatement

    init(_ db: Database) throws {
        self.db = db
        update = try BoundStatement(
            db,
            """
            UPDATE tributary_writer SET sequence = ?2, clock = ?3, state = nullif(state, 'evicted') WHERE id = ?1
            """
        )
        select = try BoundStatement(
            db,
            "SELECT id, sequence, clock FROM tributary_writer WHERE uuid = ?1 AND branch = ?2"
        )
        let own = try BoundStatement(db, "SELECT uuid FROM tributary_writer WHERE is_self = 1")
        guard let own = try own.first({ UniqueID($0.text(0)) }) ?? nil else {
            throw StoreError.database(code: 11, message: "the store has no writer of its own")
        }
        self.own = own
    }

    /// The greatest clock of all applied transactions, with `withAside` also of those that were set aside.
    func lastClock(withAside: Bool = false) throws -> HybridClock {
        #if MUTATIONS
            if Mutation.isOn(.clockNotRaisedByImports) { return try position(of: own).clock }
        #endif
        // Clocks with the upper bit set are negative in the table.
        for condition in ["clock < 0 AND", ""] {
            let greatest = try BoundStatement(
                db,
                "SELECT max(clock) FROM tributary_writer WHERE \(condition) \(withAside ? "1" : "aside IS NOT clock")"
            )
            if let found = try greatest.first({ $0.optionalInteger(0) }) ?? nil {
                return HybridClock(rawValue: UInt64(bitPattern: found))
            }
        }
        return .zero
    }

    /// The writer's row, or that of one of its branches; nil when none of its transactions was applied.
    private func known(_ uuid: UniqueID, branch: String = "") throws -> Position? {
        let line = Line(writer: uuid, branch: branch)
        if let known = positions[line] { return known }
        select.bind(1, uuid.description)
        select.bind(2, branch)
        let found = try select.first { row in
            Position(
                id: row.integer(0),
                sequence: UInt64(bitPattern: row.integer(1)),
                clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(2)))
            )
        }
        if let found { positions[line] = found }
        return found
    }

    /// The writer's row, or that of one of its branches; created when it does not exist.
    ///
    /// A branch is created by ``beginBranch(_:of:after:)`` only.
    func position(of uuid: UniqueID, branch: String = "") throws -> Position {
        if let known = try known(uuid, branch: branch) { return known }
        guard branch.isEmpty else {
            throw StoreError.database(code: 21, message: "branch \(branch) of writer \(uuid) has not begun")
        }
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_writer(uuid, sequence, clock) VALUES (?1, 0, 0)"
        )
        insert.bind(1, uuid.description)
        try insert.run()
        let made = Position(id: db.lastInsertedRowID, sequence: 0, clock: .zero)
        positions[Line(writer: uuid, branch: branch)] = made
        return made
    }

    /// Begins a branch of a writer's log unless it has begun.
    ///
    /// The writes of a branch have seen those of the writer's first line up to where the branch begins.
    func beginBranch(_ branch: String, of uuid: UniqueID, after start: UInt64) throws {
        guard try known(uuid, branch: branch) == nil else { return }
        let main = try position(of: uuid)
        let insert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_writer(uuid, branch, name, sequence, clock, start)
            SELECT uuid, ?2, name, ?3, 0, ?3 FROM tributary_writer WHERE id = ?1
            """
        )
        insert.bind(1, main.id)
        insert.bind(2, branch)
        insert.bind(3, Int64(bitPattern: start))
        try insert.run()
        let row = db.lastInsertedRowID
        guard start > 0 else { return }
        let seen = try BoundStatement(db, "INSERT INTO tributary_seen(writer, other, sequence) VALUES (?1, ?2, ?3)")
        seen.bind(1, row)
        seen.bind(2, main.id)
        seen.bind(3, Int64(bitPattern: start))
        try seen.run()
    }

    func hasBranches(_ uuid: UniqueID) throws -> Bool {
        let select = try BoundStatement(db, "SELECT 1 FROM tributary_writer WHERE uuid = ?1 AND branch <> '' LIMIT 1")
        select.bind(1, uuid.description)
        return try select.first { _ in true } ?? false
    }

    /// Sets greater clocks of other writers, or of `writer` alone, aside: a local clock need not exceed them.
    static func setAside(after greatest: HybridClock, of writer: UniqueID? = nil, _ db: Database) throws {
        let aside = try BoundStatement(
            db,
            """
            UPDATE tributary_writer SET aside = clock
            WHERE is_self = 0 AND (clock > ?1 OR clock < 0) AND aside IS NOT clock AND uuid = ifnull(?2, uuid)
            """
        )
        aside.bind(1, Int64(clamping: greatest.rawValue))
        aside.bind(2, writer?.description)
        try aside.run()
    }

    func setHash(_ hash: String?, row: Int64) throws {
        let update = try BoundStatement(db, "UPDATE tributary_writer SET hash = ?2 WHERE id = ?1")
        update.bind(1, row)
        update.bind(2, hash)
        try update.run()
    }

    /// The sequence of the writer's next transaction.
    ///
    /// - Throws: ``StoreError`` `database` when the sequences of the writer are exhausted, which only damage can cause.
    func nextSequence(of uuid: UniqueID, branch: String = "") throws -> UInt64 {
        let last = try position(of: uuid, branch: branch).sequence
        guard last < UInt64(Int64.max) else {
            throw StoreError.database(
                code: 11,
                message: "transaction \(last) of writer \(uuid) cannot be the last one applied: the store is damaged"
            )
        }
        return last + 1
    }

    func move(_ uuid: UniqueID, branch: String = "", to sequence: UInt64, clock: HybridClock) throws {
        var position = try position(of: uuid, branch: branch)
        position.sequence = sequence
        position.clock = max(position.clock, clock)
        positions[Line(writer: uuid, branch: branch)] = position
        update.bind(1, position.id)
        update.bind(2, Int64(bitPattern: sequence))
        update.bind(3, Int64(bitPattern: position.clock.rawValue))
        try update.run()
    }

    /// Adds a segment of a forked writer that has come with a baseline to its line of the log.
    func add(_ addition: BaselineFork.Addition, to uuid: UniqueID, clock: HybridClock) throws {
        let (segment, branch) = (addition.segment, addition.branch)
        if addition.begins { try beginBranch(branch, of: uuid, after: segment.first - 1) }
        let row = try position(of: uuid, branch: branch).id
        let insert = try BoundStatement(
            db,
            """
            INSERT OR IGNORE INTO tributary_segment(writer, first, last, sha256, parked, previous)
            VALUES (?1, ?2, ?3, ?4, 0, ?5)
            """
        )
        insert.bind(1, row)
        insert.bind(2, Int64(bitPattern: segment.first))
        insert.bind(3, Int64(bitPattern: segment.last))
        insert.bind(4, segment.sha256)
        insert.bind(5, segment.previous)
        try insert.run()
        guard addition.moves else { return }
        try move(uuid, branch: branch, to: segment.last, clock: clock)
        try setHash(segment.sha256, row: row)
    }

    /// Returns the sequences of other writers that the store's own writer has not announced as seen.
    ///
    /// They count as announced from now on. Of a writer with branches the branch that reaches furthest counts.
    func announceSeen() throws -> [UniqueID: UInt64] {
        let select = try BoundStatement(
            db,
            """
            SELECT w.uuid, (SELECT max(b.sequence) FROM tributary_writer b WHERE b.uuid = w.uuid), w.id, s.sequence
            FROM tributary_writer w
            LEFT JOIN tributary_writer m ON m.uuid = w.uuid AND m.branch = ''
            LEFT JOIN tributary_seen s ON s.writer = ?1 AND s.other = m.id
            WHERE w.sequence > w.announced AND w.is_self = 0
            ORDER BY w.id LIMIT \(LogLimits.seenEntries)
            """
        )
        select.bind(1, try position(of: own).id)
        var last: Int64 = 0
        var seen: [UniqueID: UInt64] = [:]
        announcedBefore = [:]
        try select.forEach { row in
            last = row.integer(2)
            guard let uuid = UniqueID(row.text(0)), uuid != own else { return }
            let (reach, before) = (UInt64(bitPattern: row.integer(1)), UInt64(bitPattern: row.integer(3)))
            guard reach > before else { return }
            seen[uuid] = reach
            announcedBefore[uuid] = before
        }
        guard last > 0 else { return [:] }
        let announce = try BoundStatement(
            db,
            """
            UPDATE tributary_writer SET announced = sequence WHERE sequence > announced AND is_self = 0 AND id <= ?1
            """
        )
        announce.bind(1, last)
        try announce.run()
        try addSeen(by: own, seen)
        return seen
    }

    /// The sequences by the rows of their writers, for the writers that have transactions in this store.
    ///
    /// Nobody tells which branch of a writer it has seen, so the sequence counts for each.
    func rows(of seen: [UniqueID: UInt64]) throws -> [(other: Int64, sequence: UInt64)] {
        if seen.isEmpty { return [] }
        let select = try BoundStatement(db, "SELECT id FROM tributary_writer WHERE uuid = ?1 AND branch <> ''")
        var found: [(other: Int64, sequence: UInt64)] = []
        for (uuid, sequence) in seen {
            guard let main = try known(uuid) else { continue }
            found.append((main.id, sequence))
            select.bind(1, uuid.description)
            try select.forEach { found.append(($0.integer(0), sequence)) }
        }
        return found
    }

    /// Adds to the sequences that a writer has seen of others; it does not register the named writers in this store.
    func addSeen(by uuid: UniqueID, branch: String = "", _ seen: [UniqueID: UInt64]) throws {
        guard !seen.isEmpty else { return }
        let writer = try position(of: uuid, branch: branch).id
        let upsert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_seen(writer, other, sequence) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET sequence = max(sequence, excluded.sequence)
            """
        )
        for (other, sequence) in try rows(of: seen) {
            upsert.bind(1, writer)
            upsert.bind(2, other)
            upsert.bind(3, Int64(bitPattern: sequence))
            try upsert.run()
        }
    }
}
