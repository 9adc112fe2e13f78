import GRDB
package import TributaryChanges
import TributaryModel

package struct Restamped: Sendable, Hashable {
    package var former: UniqueID
    package var new: UniqueID
    /// The last transaction that keeps the former writer's name, or 0.
    package var published: UInt64
    package var count: Int
}

package enum RestampError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A copy of the store has published these transactions, so publishing them again would apply them twice.
    case knownElsewhere(writer: UniqueID, sequence: UInt64)
    /// A copy of the store, or the store before it was set back, may have published these transactions.
    case unproven(writer: UniqueID)
    case unknownCounter(entity: String, property: String)

    package var description: String {
        switch self {
        case .knownElsewhere(let writer, let sequence):
            "A copy of this store has published transactions of writer \(writer) after transaction \(sequence), or "
                + "continues from them, so that they cannot be published under another name."
        case .unproven(let writer):
            "Nothing proves that these transactions of writer \(writer) are not published yet: a store that was started after "
                + "a boot, restored or copied may have published them before. They keep their names, and are published once "
                + "the file is gone."
        case .unknownCounter(let entity, let property):
            "'\(entity).\(property)' was counted under another version of the model: export it first."
        }
    }
}

/// Gives transactions that were never exported new names, under a fresh writer.
///
/// These are the transactions with clocks that are ahead, which get lesser clocks, or the transactions of the present
/// writer, which keep their clocks. Rows and counters that refer to the old names change too. Each comparison with
/// other transactions has the same result as before: a value that may have overwritten a value that is ahead stays ahead.
struct Restamp {
    private struct Unexported {
        var row: Int64
        var writer: Int64
        var sequence: UInt64
        var number: Int64
        var version: Version
    }

    private let reader: Reader
    private let greatest: HybridClock?
    private let transactions: [Unexported]
    private var db: Database { reader.database }
    private var layout: StoreModel { reader.context.layout }

    init(_ reader: Reader, after greatest: HybridClock?) throws {
        (self.reader, self.greatest) = (reader, greatest)
        let select = try BoundStatement(
            reader.database,
            """
            SELECT o.id, o.writer, t.sequence, t.number, t.clock, w.uuid FROM tributary_writer w
            CROSS JOIN tributary_outgoing o ON o.writer = w.id
                AND o.sequence > ifnull((SELECT max(last) FROM tributary_export e WHERE e.writer = w.id), 0)
            JOIN tributary_transaction t ON t.writer = o.writer AND t.sequence = o.sequence
            WHERE CASE WHEN ?1 IS NULL THEN w.is_self ELSE t.clock > ?1 OR t.clock < 0 END
            ORDER BY t.number
            """
        )
        select.bind(1, greatest.map { Int64(clamping: $0.rawValue) })
        transactions = try select.all { row in
            UniqueID(row.text(5)).map { writer in
                Unexported(
                    row: row.integer(0),
                    writer: row.integer(1),
                    sequence: row.sequence(2),
                    number: row.integer(3),
                    version: Version(clock: row.clock(4), writer: writer)
                )
            }
        }
    }

    var names: [UniqueID: ClosedRange<UInt64>] {
        transactions.reduce(into: [:]) { names, moved in
            let first = names[moved.version.writer]?.lowerBound ?? moved.sequence
            names[moved.version.writer] = first...max(first, moved.sequence)
        }
    }

    /// Nil if the transactions can be renamed; O(n) for n writers and segments.
    func obstacle() throws -> RestampError? {
        if transactions.isEmpty { return nil }
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
                    AND f.is_self = 0 AND f.sequence > 0 AND f.id NOT IN (SELECT writer FROM tributary_outgoing UNION
                        SELECT writer FROM tributary_export)))
            """
        )
        return try select.first { row in
            UniqueID(row.text(0)).map { .knownElsewhere(writer: $0, sequence: row.sequence(1)) }
        } ?? nil
    }

    func run(_ transaction: WriteTransaction) throws -> Restamped {
        if let obstacle = try obstacle() { throw obstacle }
        let former = try transaction.writers().own
        let staying = try staying()
        let clocks = try clocks(transaction, staying)
        let fresh = freshID(clocks, staying)
        _ = try reader.context.configuration.token?.take { try transaction.writers().token() }
        for (writer, moved) in Dictionary(grouping: transactions, by: \.writer).sorted(by: { $0.key > $1.key }) {
            try setBack(writer, to: (moved.map(\.sequence).min() ?? 1) - 1)
        }
        transaction.forget()
        // The transactions acknowledge transactions of the former writers that nobody will publish.
        let published = try reader.writers.all().reduce(into: [:]) { $0[$1.id.description] = $1.sequence }
        try transaction.renewOwn(as: fresh)
        let row = try transaction.writers().position(of: fresh).id
        var counts: [Count: PropertyValue] = [:]
        for (index, unexported) in transactions.enumerated() {
            let stamp = (sequence: UInt64(index + 1), clock: clocks[index])
            try addCounts(of: move(unexported, to: row, stamp, published), by: unexported.writer, to: &counts)
        }
        try move(counts, to: row)
        try UnresolvedReferenceTable.forgetRanks(db)
        transaction.forget()
        if let last = clocks.last {
            try transaction.writers().move(fresh, to: UInt64(transactions.count), clock: last)
        }
        let end = published[former.description] ?? 0
        return Restamped(former: former, new: fresh, published: end, count: transactions.count)
    }

    private struct Staying {
        /// The remaining transactions that are compared with the renamed ones: those ahead, or those with equal clocks.
        var rivals: [Version] = []
        var last = HybridClock.zero
    }

    /// O(n) for n transactions; a join or a migration has sequence 0, and no write has its version.
    private func staying() throws -> Staying {
        let moved = Set(transactions.map(\.number))
        let clocks = Set(transactions.map(\.version.clock))
        let select = try BoundStatement(
            db,
            """
            SELECT t.number, t.clock, w.uuid FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE t.sequence > 0
            """
        )
        var staying = Staying()
        try select.forEach { row in
            guard !moved.contains(row.integer(0)) else { return }
            let clock = row.clock(1)
            if greatest.map({ clock > $0 }) ?? clocks.contains(clock) {
                if let writer = UniqueID(row.text(2)) { staying.rivals.append(Version(clock: clock, writer: writer)) }
            } else {
                staying.last = max(staying.last, clock)
            }
        }
        staying.rivals.sort()
        return staying
    }

    private func clocks(_ transaction: WriteTransaction, _ staying: Staying) throws -> [HybridClock] {
        guard let greatest else { return transactions.map(\.version.clock) }
        var clock = max(try transaction.writers().lastClock(upTo: greatest), staying.last)
        var rivals = staying.rivals[...]
        let wall = reader.context.configuration.environment.wallTime()
        return transactions.map { unexported in
            while let below = rivals.first, below < unexported.version {
                clock = max(clock, below.clock)
                rivals.removeFirst()
            }
            clock = clock.next(at: wall)
            return clock
        }
    }

    /// Draws an identity that does not change the order between the renamed transactions and all others.
    ///
    /// Between writes with equal clocks, the write of the greater writer wins, so the identity must lie between the same
    /// writers. An identity that shares half of its bits with the former writer usually does.
    private func freshID(_ clocks: [HybridClock], _ staying: Staying) -> UniqueID {
        let environment = reader.context.configuration.environment
        let kept = zip(transactions, clocks).filter { $0.version.clock == $1 }.map(\.0.version)
        let former = Dictionary(kept.map { ($0.clock, $0.writer) }) { first, _ in first }
        var (below, above): (UniqueID?, UniqueID?)
        for rival in staying.rivals {
            guard let own = former[rival.clock] else { continue }
            if rival.writer < own {
                below = max(below ?? rival.writer, rival.writer)
            } else {
                above = min(above ?? rival.writer, rival.writer)
            }
        }
        func isFit(_ id: UniqueID) -> Bool { below.map { $0 < id } ?? true && above.map { id < $0 } ?? true }
        let fresh = environment.newID()
        if isFit(fresh) { return fresh }
        let alike = Set(kept.map(\.writer)).sorted().lazy.flatMap { own in
            (0..<100).lazy.map { _ in UniqueID(high: own.high, low: 1 << 63 | environment.random() >> 2) }
        }
        return alike.first(where: isFit) ?? fresh
    }

    private func setBack(_ writer: Int64, to sequence: UInt64) throws {
        let isLater = "writer = ?1 AND sequence > ?2"
        let updates: [CachedSQL] = [
            """
            UPDATE tributary_writer SET sequence = ?2,
                clock = ifnull((SELECT t.clock FROM tributary_transaction t WHERE t.writer = ?1 AND t.sequence = ?2), 0)
            WHERE id = ?1
            """,
            """
            UPDATE tributary_writer AS f SET after = CASE w.sequence WHEN 0 THEN w.after ELSE f.after END,
                after_sequence = CASE w.sequence WHEN 0 THEN w.after_sequence ELSE min(f.after_sequence, w.sequence) END
            FROM tributary_writer w WHERE w.id = ?1 AND w.sequence = ?2 AND f.after = w.uuid
            """,
            "UPDATE tributary_seen SET sequence = min(sequence, ?2) WHERE other = ?1",
            // A fresh writer may reuse the row. It counts from 1, so negative sequences cannot collide with its sequences.
            "UPDATE tributary_transaction SET sequence = -sequence WHERE \(isLater)",
            "UPDATE tributary_outgoing SET sequence = -sequence WHERE \(isLater)",
        ]
        for text in updates {
            let update = try BoundStatement(db, text)
            update.bindAll(writer, sequence)
            try update.run()
        }
    }

    private func move(
        _ unexported: Unexported,
        to writer: Int64,
        _ stamp: (sequence: UInt64, clock: HybridClock),
        _ published: [String: UInt64]
    ) throws -> [UInt8] {
        let transaction = try BoundStatement(
            db,
            "UPDATE tributary_transaction SET writer = ?2, sequence = ?3, clock = ?4 WHERE number = ?1"
        )
        transaction.bindAll(unexported.number, writer, stamp.sequence, stamp.clock)
        try transaction.run()
        let lines = try BoundStatement(db, "SELECT lines FROM tributary_outgoing WHERE id = \(value: unexported.row)")
        let text = try lines.first { $0.bytes(0) } ?? []
        let outgoing = try BoundStatement(
            db,
            "UPDATE tributary_outgoing SET writer = ?2, sequence = ?3, lines = ?4 WHERE id = ?1"
        )
        outgoing.bindAll(unexported.row, writer, stamp.sequence, try restamped(text, stamp, published))
        try outgoing.run()
        outgoing.clearBindings()
        return text
    }

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

    private struct Count: Hashable {
        var writer: Int64
        var id: UniqueID
        var column: StoreModel.ColumnIndex
    }

    private func addCounts(of lines: [UInt8], by writer: Int64, to counts: inout [Count: PropertyValue]) throws {
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
                let count = Count(writer: writer, id: id, column: column)
                counts[count] = CounterTotals.sum(counts[count], amount)
            }
        }
    }

    /// A writer with published transactions keeps a total of zero, because it may have published that total.
    private func move(_ counts: [Count: PropertyValue], to writer: Int64) throws {
        let table = CounterTable(db, layout: layout)
        let unpublished = Set(transactions.filter { $0.sequence == 1 }.map(\.writer))
        for (count, amount) in counts where count.writer != writer {
            guard let total = try table.total(writer: count.writer, of: count.id, count.column) else { continue }
            let rest = unpublished.contains(count.writer) ? nil : CounterTotals.difference(total, amount)
            try table.setTotal(rest, writer: count.writer, of: count.id, count.column)
            try table.add(amount, writer: writer, to: count.id, count.column)
        }
    }

    private func counted(
        _ value: JSONMember,
        of entity: String,
        isInsert: Bool
    ) throws -> (StoreModel.ColumnIndex, PropertyValue)? {
        guard let known = layout.entity(named: entity), layout.propertyIndex(named: value.key, of: known.entity) != nil
        else {
            if value.value["increment"] == nil { return nil }
            throw RestampError.unknownCounter(entity: entity, property: value.key)
        }
        guard let (index, type, rule) = layout.attribute(value.key, of: entity), rule == .counter else { return nil }
        return type.amount(ofWrite: value.value, isInsert: isInsert).map { (index, $0) }
    }
}
