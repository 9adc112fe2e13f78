import GRDB
package import TributaryChanges
import TributaryModel

/// What `restamp` or `reissue` has done: unexported transactions got new names, or new clocks too.
package struct Restamped: Sendable, Hashable {
    package var former: UniqueID
    package var new: UniqueID
    /// The former writer's last exported transaction; 0 for none.
    package var published: UInt64
    package var count: Int
}

/// The reason why unexported transactions cannot get new clocks or names.
package enum RestampError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A transaction that stays has a clock between the new ones and the old ones: one of the two may have overwritten
    /// the other, and the value that lost is not in the store any more.
    case restsOnAheadClock(writer: UniqueID, sequence: UInt64, clock: HybridClock)
    /// A copy of the store has published, or continues from, what this store has not published: it would be counted
    /// twice.
    case knownElsewhere(writer: UniqueID, sequence: UInt64)
    /// A copy of the store, or the store before it was set back, may have published these transactions.
    case unproven(writer: UniqueID)
    /// The model does not know the counter of an increment.
    case unknownCounter(entity: String, property: String)

    package var description: String {
        switch self {
        case .restsOnAheadClock(let writer, let sequence, let clock):
            "Transaction \(sequence) of writer \(writer), which this store has applied and others may have too, has the "
                + "clock \(clock): changes that were saved here may have overwritten it, and cannot get lesser clocks."
        case .knownElsewhere(let writer, let sequence):
            "A copy of this store has published transactions of writer \(writer) after transaction \(sequence), or goes on from "
                + "them, so that they cannot be issued under another name."
        case .unproven(let writer):
            "Nothing proves that no copy of this store, and not the store itself before it was set back, has published "
                + "these transactions of writer \(writer)."
        case .unknownCounter(let entity, let property):
            "'\(entity).\(property)' was counted under another version of the model: export it first."
        }
    }
}

/// Gives the transactions that were never exported new clocks, or only new names, under a fresh writer, in a write
/// transaction.
///
/// No other store knows them under their present names. Versions of rows name the numbers of transactions, so they
/// change with the rows of the transactions. Totals of counters belong to writers, so the counted amounts move to the
/// fresh writer.
struct Restamp {
    private struct Unexported {
        var row: Int64
        var writer: Int64
        var number: Int64
        var clock: HybridClock
    }

    private let reader: Reader
    /// The greatest clock that a transaction keeps; nil when all keep theirs.
    private let greatest: HybridClock?
    private let transactions: [Unexported]
    private var db: Database { reader.database }
    private var layout: StoreModel { reader.context.layout }

    init(_ reader: Reader, after greatest: HybridClock?) throws {
        (self.reader, self.greatest) = (reader, greatest)
        let select = try BoundStatement(
            reader.database,
            """
            SELECT o.id, o.writer, t.number, t.clock FROM tributary_outgoing o
            JOIN tributary_transaction t ON t.writer = o.writer AND t.sequence = o.sequence
            WHERE o.sequence > ifnull((SELECT max(last) FROM tributary_export e WHERE e.writer = o.writer), 0)
            ORDER BY t.number
            """
        )
        transactions = try select.all { row in
            Unexported(row: row.integer(0), writer: row.integer(1), number: row.integer(2), clock: row.clock(3))
        }
    }

    /// The reason why transactions cannot get new clocks; nil when they can.
    ///
    /// Costs one look at each transaction.
    func obstacle() throws -> RestampError? {
        if let known = try knownElsewhere() { return known }
        guard let greatest, let last = transactions.map(\.clock).max(), last > greatest else { return nil }
        let numbers = Set(transactions.map(\.number))
        let select = try BoundStatement(
            db,
            """
            SELECT t.number, w.uuid, t.sequence, t.clock FROM tributary_transaction t
            JOIN tributary_writer w ON w.id = t.writer WHERE t.sequence > 0 AND (t.clock > ?1 OR t.clock < 0)
            """
        )
        select.bind(1, Int64(clamping: greatest.rawValue))
        var found: RestampError?
        try select.forEach { row in
            let clock = row.clock(3)
            guard found == nil, clock <= last, !numbers.contains(row.integer(0)), let writer = UniqueID(row.text(1))
            else { return }
            found = .restsOnAheadClock(writer: writer, sequence: row.sequence(2), clock: clock)
        }
        return found
    }

    /// Finds a writer whose unpublished transactions the store has imported; costs one look at each writer and segment.
    private func knownElsewhere() throws -> RestampError? {
        let select = try BoundStatement(
            db,
            """
            WITH own(id, uuid, sequence, saved, published) AS (
                SELECT w.id, w.uuid, w.sequence, (SELECT max(o.sequence) FROM tributary_outgoing o WHERE o.writer = w.id),
                    ifnull((SELECT max(last) FROM tributary_export e WHERE e.writer = w.id), 0)
                FROM tributary_writer w)
            SELECT uuid, published FROM own WHERE saved > published AND (sequence > saved
                OR EXISTS (SELECT 1 FROM tributary_segment s WHERE s.writer = own.id AND s.last > published)
                OR EXISTS (SELECT 1 FROM tributary_writer f WHERE f.after = own.uuid AND f.after_sequence > published
                    AND f.is_self = 0 AND f.id NOT IN (SELECT writer FROM tributary_outgoing UNION
                        SELECT writer FROM tributary_export)))
            """
        )
        return try select.first { row in
            UniqueID(row.text(0)).map { .knownElsewhere(writer: $0, sequence: row.sequence(1)) }
        } ?? nil
    }

    func run(_ transaction: WriteTransaction) throws -> Restamped {
        if let obstacle = try obstacle() { throw obstacle }
        let environment = reader.context.configuration.environment
        let former = try transaction.writers().own
        let fresh = try freshID()
        _ = try reader.context.configuration.token?.take { try transaction.writers().token() }
        for writer in Set(transactions.map(\.writer)).sorted(by: >) { try setBack(writer) }
        transaction.forget()
        // Nobody will publish what these transactions have seen of the former writers.
        let published = try reader.writers.all().reduce(into: [:]) { $0[$1.id.description] = $1.sequence }
        try transaction.renewOwn(as: fresh)
        let row = try transaction.writers().position(of: fresh).id
        if let greatest { try WriterTable.setAside(after: greatest, db) }
        transaction.forget()
        // A transaction that is not ahead keeps its clock, because it may have lost against others.
        let kept = self.kept
        var clock = max(try transaction.writers().lastClock(), kept.last?.clock ?? .zero)
        for (index, unexported) in transactions.enumerated() {
            let isKept = index < kept.count
            if !isKept { clock = clock.next(at: environment.wallTime()) }
            let stamp = (sequence: UInt64(index + 1), clock: isKept ? unexported.clock : clock)
            try move(unexported, to: row, stamp, published)
        }
        try UnresolvedReferenceTable.forgetRanks(db)
        transaction.forget()
        try transaction.writers().move(fresh, to: UInt64(transactions.count), clock: clock)
        let end = published[former.description] ?? 0
        return Restamped(former: former, new: fresh, published: end, count: transactions.count)
    }

    private var kept: ArraySlice<Unexported> {
        transactions.prefix { unexported in greatest.map { unexported.clock <= $0 } ?? true }
    }

    /// Draws the identity of the fresh writer.
    ///
    /// Of two writes with one clock the one of the greater writer wins: a transaction that keeps its clock must win and lose
    /// against the same ones as before. An identity that shares half of its bits with the former writer compares as that
    /// one does. Costs one look at each transaction.
    private func freshID() throws -> UniqueID {
        let environment = reader.context.configuration.environment
        let former = Dictionary(kept.map { ($0.clock.rawValue, $0.writer) }) { first, _ in first }
        let select = try BoundStatement(
            db,
            """
            SELECT t.clock, w.uuid, (SELECT uuid FROM tributary_writer WHERE id = ?1) FROM tributary_transaction t
            JOIN tributary_writer w ON w.id = t.writer WHERE t.writer <> ?1 AND t.sequence > 0
            """
        )
        var ties: [(own: UniqueID, other: UniqueID)] = []
        for writer in Set(former.values) {
            select.bind(1, writer)
            try select.forEach { row in
                guard former[row.clock(0).rawValue] == writer, let other = UniqueID(row.text(1)),
                    let own = UniqueID(row.text(2))
                else { return }
                ties.append((own, other))
            }
        }
        func isFit(_ id: UniqueID) -> Bool { ties.allSatisfy { ($0.own < $0.other) == (id < $0.other) } }
        let fresh = environment.newID()
        if isFit(fresh) { return fresh }
        let alike = ties.lazy.flatMap { tie in
            (0..<100).lazy.map { _ in UniqueID(high: tie.own.high, low: 1 << 63 | environment.random() >> 2) }
        }
        return alike.first(where: isFit) ?? fresh
    }

    /// Sets a writer back to what it has exported, and its successors to what is left of it.
    private func setBack(_ writer: Int64) throws {
        let isLater = "writer = ?1 AND sequence > (SELECT sequence FROM tributary_writer WHERE id = ?1)"
        let updates = [
            """
            UPDATE tributary_writer SET sequence = ifnull((SELECT max(last) FROM tributary_export WHERE writer = ?1), 0),
                clock = ifnull((SELECT t.clock FROM tributary_transaction t WHERE t.writer = ?1 AND t.sequence =
                    (SELECT max(last) FROM tributary_export WHERE writer = ?1)), 0)
            WHERE id = ?1
            """,
            """
            UPDATE tributary_writer AS f SET after = CASE w.sequence WHEN 0 THEN w.after ELSE f.after END,
                after_sequence = CASE w.sequence WHEN 0 THEN w.after_sequence ELSE min(f.after_sequence, w.sequence) END
            FROM tributary_writer w WHERE w.id = ?1 AND f.after = w.uuid
            """,
            """
            UPDATE tributary_seen SET sequence = min(sequence, (SELECT sequence FROM tributary_writer WHERE id = ?1))
            WHERE other = ?1
            """,
            // A writer that has exported nothing gives its row to the fresh writer, which numbers its transactions from
            // 1: negative sequences cannot collide with these.
            "UPDATE tributary_transaction SET sequence = -sequence WHERE \(isLater)",
            "UPDATE tributary_outgoing SET sequence = -sequence WHERE \(isLater)",
        ]
        for text in updates {
            let update = try BoundStatement(db, CachedSQL(text))
            update.bind(1, writer)
            try update.run()
        }
    }

    private func move(
        _ unexported: Unexported,
        to writer: Int64,
        _ stamp: (sequence: UInt64, clock: HybridClock),
        _ published: [String: UInt64]
    ) throws {
        let transaction = try BoundStatement(
            db,
            "UPDATE tributary_transaction SET writer = ?2, sequence = ?3, clock = ?4 WHERE number = ?1"
        )
        transaction.bindAll(unexported.number, writer, stamp.sequence, stamp.clock)
        try transaction.run()
        let lines = try BoundStatement(db, "SELECT lines FROM tributary_outgoing WHERE id = ?1")
        lines.bind(1, unexported.row)
        let text = try lines.first { $0.bytes(0) } ?? []
        try moveCounts(text, from: unexported.writer, to: writer)
        let outgoing = try BoundStatement(
            db,
            "UPDATE tributary_outgoing SET writer = ?2, sequence = ?3, lines = ?4 WHERE id = ?1"
        )
        outgoing.bindAll(unexported.row, writer, stamp.sequence, try restamped(text, stamp, published))
        try outgoing.run()
        outgoing.clearBindings()
    }

    /// The first line gets another sequence and clock, and has seen only what is published of each writer.
    private func restamped(
        _ lines: [UInt8],
        _ stamp: (sequence: UInt64, clock: HybridClock),
        _ published: [String: UInt64]
    ) throws -> [UInt8] {
        let end = lines.firstIndex(of: UInt8(ascii: "\n")) ?? lines.endIndex
        guard case .object(let members)? = JSONValue(text: String(decoding: lines[..<end], as: UTF8.self)) else {
            throw StoreError.database(code: 11, message: "a transaction of the outbox has no header")
        }
        let header: [JSONMember] = members.compactMap { member in
            switch (member.key, member.value) {
            case ("transaction", _): JSONMember(key: member.key, value: .integer(Int64(clamping: stamp.sequence)))
            case ("clock", _): JSONMember(key: member.key, value: .string(stamp.clock.description))
            case ("seen", .object(let seen)):
                JSONMember(key: member.key, value: .object(seen.compactMap { limited($0, to: published[$0.key]) }))
            default: member
            }
        }
        return Array(JSONValue.object(header).text.utf8) + lines[end...]
    }

    private func limited(_ seen: JSONMember, to published: UInt64?) -> JSONMember? {
        guard let published, case .integer(let sequence) = seen.value, sequence > published else { return seen }
        return published == 0 ? nil : JSONMember(key: seen.key, value: .integer(Int64(clamping: published)))
    }

    /// Moves what a transaction has counted from the totals of one writer to those of another.
    private func moveCounts(_ lines: [UInt8], from former: Int64, to writer: Int64) throws {
        let table = CounterTable(db, layout: layout)
        for line in lines.split(separator: UInt8(ascii: "\n")).dropFirst() {
            guard let change = JSONValue(text: String(decoding: line, as: UTF8.self)),
                case .string(let entity)? = change["insert"] ?? change["update"],
                case .string(let id)? = change["id"], let id = UniqueID(id),
                case .object(let values)? = change["values"]
            else { continue }
            for value in values {
                guard let (column, amount) = try counted(value, of: entity, isInsert: change["insert"] != nil) else {
                    continue
                }
                guard let total = try table.total(writer: former, of: id, column) else { continue }
                let rest = CounterTotals.difference(total, amount)
                let isEmpty = rest == .integer(0) || rest == .double(0)
                try table.setTotal(isEmpty ? nil : rest, writer: former, of: id, column)
                try table.add(amount, writer: writer, to: id, column)
            }
        }
    }

    /// Nil when the value of the line is no count.
    private func counted(
        _ value: JSONMember,
        of entity: String,
        isInsert: Bool
    ) throws -> (StoreModel.ColumnIndex, PropertyValue)? {
        let increment = value.value["increment"]
        guard isInsert || increment != nil else { return nil }
        guard let entityLayout = layout.entityIndex(named: entity).map({ layout.entities[$0] }),
            let property = layout.propertyIndex(named: value.key, of: entityLayout.entity)
        else {
            if increment == nil { return nil }
            throw RestampError.unknownCounter(entity: entity, property: value.key)
        }
        guard case .column(let column) = entityLayout.places[property] else { return nil }
        let index = StoreModel.ColumnIndex(table: entityLayout.table, column: column)
        guard case .attribute(let type, .counter) = layout[index].kind else { return nil }
        return type.amount(from: increment ?? value.value).map { (index, $0) }
    }
}
