import GRDB
import TributaryChanges

/// Reads and writes the writers' rows within one write transaction.
final class WriterTable {
    struct Position {
        var id: Int64
        var sequence: UInt64
        var clock: HybridClock
    }

    private let db: Database
    private var positions: [UniqueID: Position] = [:]
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
        select = try BoundStatement(db, "SELECT id, sequence, clock FROM tributary_writer WHERE uuid = ?1")
        let own = try BoundStatement(db, "SELECT uuid FROM tributary_writer WHERE is_self = 1")
        guard let own = try own.first({ UniqueID($0.text(0)) }) ?? nil else {
            throw StoreError.database(code: 11, message: "the store has no writer of its own")
        }
        self.own = own
    }

    /// The greatest clock of all applied transactions, except clocks that were set aside.
    func lastClock() throws -> HybridClock {
        #if MUTATIONS
            if Mutation.isOn(.clockNotRaisedByImports) { return try position(of: own).clock }
        #endif
        // Clocks with the upper bit set are negative in the table.
        for condition in ["clock < 0 AND", ""] {
            let greatest = try BoundStatement(
                db,
                "SELECT max(clock) FROM tributary_writer WHERE \(condition) aside IS NOT clock"
            )
            if let found = try greatest.first({ $0.optionalInteger(0) }) ?? nil {
                return HybridClock(rawValue: UInt64(bitPattern: found))
            }
        }
        return .zero
    }

    /// The writer's row; nil when none of its transactions was applied.
    private func known(_ uuid: UniqueID) throws -> Position? {
        if let known = positions[uuid] { return known }
        select.bind(1, uuid.description)
        let found = try select.first { row in
            Position(
                id: row.integer(0),
                sequence: UInt64(bitPattern: row.integer(1)),
                clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(2)))
            )
        }
        if let found { positions[uuid] = found }
        return found
    }

    /// The writer's row; created when it does not exist.
    func position(of uuid: UniqueID) throws -> Position {
        if let known = try known(uuid) { return known }
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_writer(uuid, sequence, clock) VALUES (?1, 0, 0)"
        )
        insert.bind(1, uuid.description)
        try insert.run()
        let made = Position(id: db.lastInsertedRowID, sequence: 0, clock: .zero)
        positions[uuid] = made
        return made
    }

    /// The last sequence of the writer that was applied without a gap; 0 for an unknown writer.
    func appliedSequence(of uuid: UniqueID) throws -> UInt64 { try known(uuid)?.sequence ?? 0 }

    /// Records the hash of a writer's last segment.
    func setHash(_ hash: String?, row: Int64) throws {
        let update = try BoundStatement(db, "UPDATE tributary_writer SET hash = ?2 WHERE id = ?1")
        update.bind(1, row)
        update.bind(2, hash)
        try update.run()
    }

    /// The sequence of the writer's next transaction.
    ///
    /// - Throws: ``StoreError`` `database` when the sequences of the writer are exhausted, which only damage can cause.
    func nextSequence(of uuid: UniqueID) throws -> UInt64 {
        let last = try position(of: uuid).sequence
        guard last < UInt64(Int64.max) else {
            throw StoreError.database(
                code: 11,
                message: "transaction \(last) of writer \(uuid) cannot be the last one applied: the store is damaged"
            )
        }
        return last + 1
    }

    func move(_ uuid: UniqueID, to sequence: UInt64, clock: HybridClock) throws {
        var position = try position(of: uuid)
        position.sequence = sequence
        position.clock = max(position.clock, clock)
        positions[uuid] = position
        update.bind(1, position.id)
        update.bind(2, Int64(bitPattern: sequence))
        update.bind(3, Int64(bitPattern: position.clock.rawValue))
        try update.run()
    }

    /// Returns the sequences of other writers that the store's own writer has not announced as seen.
    ///
    /// They count as announced from now on.
    func announceSeen() throws -> [UniqueID: UInt64] {
        let select = try BoundStatement(
            db,
            """
            SELECT w.uuid, w.sequence, w.id, s.sequence FROM tributary_writer w
            LEFT JOIN tributary_seen s ON s.writer = ?1 AND s.other = w.id
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
            guard let uuid = UniqueID(row.text(0)) else { return }
            seen[uuid] = UInt64(bitPattern: row.integer(1))
            announcedBefore[uuid] = UInt64(bitPattern: row.integer(3))
        }
        guard !seen.isEmpty else { return [:] }
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
    func rows(of seen: [UniqueID: UInt64]) throws -> [(other: Int64, sequence: UInt64)] {
        if seen.isEmpty { return [] }
        return try seen.compactMap { uuid, sequence in try known(uuid).map { ($0.id, sequence) } }
    }

    /// Adds to the sequences that a writer has seen of others; it does not register the named writers in this store.
    func addSeen(by uuid: UniqueID, _ seen: [UniqueID: UInt64]) throws {
        guard !seen.isEmpty else { return }
        let writer = try position(of: uuid).id
        let upsert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_seen(writer, other, sequence) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET sequence = max(sequence, excluded.sequence)
            """
        )
        for (other, sequence) in seen {
            guard let otherID = try known(other)?.id else { continue }
            upsert.bind(1, writer)
            upsert.bind(2, otherID)
            upsert.bind(3, Int64(bitPattern: sequence))
            try upsert.run()
        }
    }
}
