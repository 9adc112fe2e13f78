import GRDB
import TributaryChanges

final class WriterTable {
    struct Position {
        var id: Int64
        var sequence: UInt64
        var clock: HybridClock
        var store: String
    }

    private let db: Database
    private var positions: [UniqueID: Position] = [:]
    private(set) var own: UniqueID
    private let update: BoundStatement
    private let select: BoundStatement
    private lazy var acknowledgements = Result { try AcknowledgementTable(db) }

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
            "SELECT id, sequence, clock, ifnull(store, uuid) FROM tributary_writer WHERE uuid = ?1"
        )
        let selectOwn = try BoundStatement(db, "SELECT uuid FROM tributary_writer WHERE is_self = 1")
        guard let own = try selectOwn.first({ UniqueID($0.text(0)) }) ?? nil else { throw WriterTable.noOwnWriter }
        self.own = own
    }

    static let noOwnWriter = StoreError.database(code: 11, message: "the store has no writer of its own")

    func lastClock(upTo limit: HybridClock = HybridClock(rawValue: .max)) throws -> HybridClock {
        let limit = Int64(bitPattern: limit.rawValue)
        // Clocks with the upper bit set are negative in the table.
        for range in limit < 0 ? [Int64.min...limit, 0...Int64.max] : [0...limit] {
            let greatest = try BoundStatement(
                db,
                "SELECT max(clock) FROM tributary_writer WHERE clock BETWEEN ?1 AND ?2"
            )
            greatest.bindAll(range.lowerBound, range.upperBound)
            if let found = try greatest.first({ $0.optionalInteger(0) }) ?? nil {
                return HybridClock(rawValue: UInt64(bitPattern: found))
            }
        }
        return .zero
    }

    private func known(_ uuid: UniqueID) throws -> Position? {
        if let known = positions[uuid] { return known }
        select.bind(1, uuid.description)
        let found = try select.first { row in
            Position(
                id: row.integer(0),
                sequence: row.sequence(1),
                clock: row.clock(2),
                store: row.text(3)
            )
        }
        if let found { positions[uuid] = found }
        return found
    }

    func position(of uuid: UniqueID) throws -> Position {
        if let known = try known(uuid) { return known }
        let insert = try BoundStatement(db, "INSERT INTO tributary_writer(uuid, sequence, clock) VALUES (?1, 0, 0)")
        insert.bind(1, uuid.description)
        try insert.run()
        let made = Position(id: db.lastInsertedRowID, sequence: 0, clock: .zero, store: uuid.description)
        positions[uuid] = made
        return made
    }

    func token() throws -> WriterToken.Content {
        let position = try position(of: own)
        return WriterToken.Content(writer: own, sequence: position.sequence, clock: position.clock)
    }

    func renewOwn(as id: UniqueID, of store: UniqueID) throws {
        _ = try nextSequence(of: own)
        let former = try position(of: own)
        defer { (own, positions) = (id, [:]) }
        // The fresh writer continues the acknowledgements; a copy under another label must acknowledge everything again.
        if former.store != store.description {
            try BoundStatement(db, "UPDATE tributary_writer SET announced = 0 WHERE id <> \(value: former.id)").run()
        }
        guard former.sequence > 0 else {
            let rename = try BoundStatement(db, "UPDATE tributary_writer SET uuid = ?2, store = ?3 WHERE id = ?1")
            rename.bindAll(former.id, id.description, store.description)
            return try rename.run()
        }
        let end = try BoundStatement(db, "UPDATE tributary_writer SET is_self = 0, announced = sequence WHERE id = ?1")
        end.bind(1, former.id)
        try end.run()
        try BoundStatement(
            db,
            """
            INSERT INTO tributary_writer(uuid, name, sequence, clock, is_self)
            SELECT \(value: id.description), name, 0, 0, 1 FROM tributary_writer WHERE id = \(value: former.id)
            """
        ).run()
        let after = Incarnation.Predecessor(writer: own, sequence: former.sequence)
        try meet(id, Incarnation(store: store, after: after))
    }

    /// Values that an earlier call has recorded stay.
    func meet(_ uuid: UniqueID, _ incarnation: Incarnation) throws {
        let row = try position(of: uuid).id
        let update = try BoundStatement(
            db,
            """
            UPDATE tributary_writer SET store = ifnull(store, ?2), after = ifnull(after, ?3),
                after_sequence = ifnull(after_sequence, ?4) WHERE id = ?1
            """
        )
        update.bind(1, row)
        update.bind(2, incarnation.store?.description)
        update.bind(3, incarnation.after?.writer.description)
        update.bind(4, incarnation.after.map { Int64(bitPattern: $0.sequence) })
        try update.run()
        positions[uuid] = nil
    }

    /// Throws if the sequences are exhausted, which only damage can cause.
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
        update.bindAll(position.id, sequence, position.clock)
        try update.run()
    }

    /// Omits a writer that another writer continues: a store that has the later writer has everything of the earlier writer.
    func announceSeen() throws -> [UniqueID: UInt64] {
        let select = try BoundStatement(
            db,
            """
            SELECT w.uuid, w.sequence, w.id, EXISTS (SELECT 1 FROM tributary_writer f WHERE f.after = w.uuid
                AND f.sequence > 0 AND f.after_sequence >= w.sequence AND f.is_self = 0)
            FROM tributary_writer w
            WHERE w.sequence > w.announced AND w.is_self = 0 ORDER BY w.id LIMIT \(constant: LogLimits.seenEntries)
            """
        )
        var last: Int64 = 0
        var seen: [UniqueID: UInt64] = [:]
        try select.forEach { row in
            last = row.integer(2)
            guard row.integer(3) == 0, let uuid = UniqueID(row.text(0)), uuid != own else { return }
            seen[uuid] = row.sequence(1)
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

    func nameOwn(_ name: String) throws {
        try BoundStatement(db, "UPDATE tributary_writer SET name = \(value: name) WHERE is_self = 1").run()
    }

    func setState(_ state: WriterState?, of uuid: UniqueID) throws {
        let update = try BoundStatement(db, "UPDATE tributary_writer SET state = ?2 WHERE id = ?1 AND is_self = 0")
        update.bindAll(try position(of: uuid).id, state?.rawValue)
        try update.run()
    }

    func record(_ record: SegmentRecord, name: String?) throws -> String? {
        let writer = try position(of: record.writer).id
        let insert = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO tributary_segment(writer, first, last, sha256, parked) VALUES (?1, ?2, ?3, ?4, ?5)
            """
        )
        insert.bindAll(writer, record.first, record.last, record.sha256, record.deferredCount)
        try insert.run()
        let update = try BoundStatement(
            db,
            """
            UPDATE tributary_writer SET name = coalesce(?2, name), hash = (SELECT sha256 FROM tributary_segment
                WHERE writer = ?1 ORDER BY first DESC, last DESC LIMIT 1) WHERE id = ?1
            RETURNING name
            """
        )
        update.bindAll(writer, name)
        return try update.first { $0.optionalText(0) } ?? nil
    }

    /// Omits writers without transactions in this store.
    func rows(of seen: [UniqueID: UInt64]) throws -> [(other: Int64, sequence: UInt64)] {
        try seen.compactMap { uuid, sequence in try known(uuid).map { ($0.id, sequence) } }
    }

    /// Does not register the named writers in this store.
    func addSeen(by uuid: UniqueID, _ seen: [UniqueID: UInt64]) throws {
        guard !seen.isEmpty else { return }
        let (store, table) = (try position(of: uuid).store, try acknowledgements.get())
        var steps = AcknowledgementTable.steps
        for (other, sequence) in try rows(of: seen) { try table.add(sequence, of: other, by: store, &steps) }
    }
}

/// The sequences that stores have seen of writers, without entries that follow from others.
///
/// A store that has anything of a writer has everything of the writers that it continues, so the rows do not grow with
/// the number of former writers. A row that follows from another row does no harm.
private struct AcknowledgementTable {
    private let select: BoundStatement
    private let upsert: BoundStatement
    private let former: BoundStatement
    private let delete: BoundStatement

    /// Bounds the reads of former writers for the acknowledgements of one transaction.
    static let steps = 200

    init(_ db: Database) throws {
        select = try BoundStatement(db, "SELECT sequence FROM tributary_seen WHERE store = ?1 AND other = ?2")
        upsert = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO tributary_seen(store, other, sequence) VALUES (?1, ?2, ?3)"
        )
        former = try BoundStatement(
            db,
            """
            SELECT p.id, w.after_sequence FROM tributary_writer w JOIN tributary_writer p ON p.uuid = w.after
            WHERE w.id = ?1 AND w.sequence > 0
            """
        )
        delete = try BoundStatement(
            db,
            "DELETE FROM tributary_seen WHERE store = ?1 AND other = ?2 AND sequence <= ?3 RETURNING 1"
        )
    }

    /// One step for each writer of the store of `other` since its last acknowledgement, at most `steps`.
    func add(_ sequence: UInt64, of other: Int64, by store: String, _ steps: inout Int) throws {
        select.bindAll(store, other)
        let known = try select.first { $0.sequence(0) }
        guard sequence > known ?? 0 else { return }
        upsert.bindAll(store, other, sequence)
        try upsert.run()
        guard known == nil else { return }
        var last = other
        while steps > 0 {
            steps -= 1
            former.bind(1, last)
            guard let found = try former.first({ (row: $0.integer(0), sequence: $0.integer(1)) }) else { return }
            delete.bindAll(store, found.row, found.sequence)
            if try delete.first({ _ in true }) != nil { return }
            last = found.row
        }
    }
}
