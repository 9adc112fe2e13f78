import GRDB
package import TributaryChanges

package struct WriterReader {
    let reader: Reader

    private var database: Database { reader.database }

    package func all() throws -> [WriterRecord] { try records(where: "1", seen: seen()) }

    package func record(of writer: UniqueID) throws -> WriterRecord? {
        try records(where: "w.uuid = ?1", of: writer, seen: [:]).first
    }

    /// Without `seen`, which may grow with the number of writers.
    package func own() throws -> WriterRecord {
        guard let own = try records(where: "w.is_self = 1", seen: [:]).first else {
            throw WriterTable.noOwnWriter
        }
        return own
    }

    /// The last transactions of their writers, in O(n log n); throws ``RestampError`` if they cannot get other clocks.
    package func restampable(after greatest: HybridClock) throws -> [UniqueID: ClosedRange<UInt64>] {
        let restamp = try Restamp(reader, after: greatest)
        if let obstacle = try restamp.obstacle() { throw obstacle }
        return restamp.names
    }

    /// The greatest clock that another store may have; O(n) for n writers and exported segments.
    package func greatestPublishedClock() throws -> HybridClock {
        return try BoundStatement(
            database,
            """
            WITH published(writer, last) AS (SELECT writer, max(last) FROM tributary_export GROUP BY writer)
            SELECT w.clock FROM tributary_writer w WHERE NOT EXISTS (SELECT 1 FROM tributary_outgoing o
                WHERE o.writer = w.id AND o.sequence > ifnull((SELECT last FROM published WHERE writer = w.id), 0))
            UNION ALL SELECT t.clock FROM published p
                JOIN tributary_transaction t ON t.writer = p.writer AND t.sequence = p.last
            """
        ).all { $0.clock(0) }.max() ?? .zero
    }

    private func seen() throws -> [UniqueID: VersionVector] {
        var seen: [UniqueID: VersionVector] = [:]
        try BoundStatement(
            database,
            "SELECT s.store, o.uuid, s.sequence FROM tributary_seen s JOIN tributary_writer o ON o.id = s.other"
        ).forEach { row in
            guard let id = UniqueID(row.text(0)), let other = UniqueID(row.text(1)) else { return }
            seen[id, default: VersionVector()][other] = row.sequence(2)
        }
        return seen
    }

    private func records(
        where condition: String,
        of writer: UniqueID? = nil,
        seen: [UniqueID: VersionVector]
    ) throws -> [WriterRecord] {
        let writers = try BoundStatement(
            database,
            """
            SELECT w.id, w.uuid, w.name, w.sequence, w.clock, w.hash, w.is_self, w.state,
                w.store, w.after, w.after_sequence FROM tributary_writer w
            WHERE \(condition) ORDER BY w.uuid
            """
        )
        if let writer { writers.bind(1, writer.description) }
        return try writers.all { row in
            guard let id = UniqueID(row.text(1)) else { return nil }
            let store = row.optionalText(8).flatMap { UniqueID($0) }
            return WriterRecord(
                id: id,
                name: row.optionalText(2),
                sequence: row.sequence(3),
                clock: row.clock(4),
                lastSegmentHash: row.optionalText(5),
                seen: seen[store ?? id] ?? VersionVector(),
                isSelf: row.integer(6) != 0,
                state: row.optionalText(7).flatMap(WriterState.init),
                incarnation: Incarnation(
                    store: store,
                    after: row.optionalText(9).flatMap { UniqueID($0) }.map {
                        Incarnation.Predecessor(writer: $0, sequence: row.sequence(10))
                    }
                )
            )
        }
    }

    package func segment(writer: UniqueID, _ first: UInt64, _ last: UInt64) throws -> SegmentRecord? {
        try segments(of: writer, "AND s.first = ?2 AND s.last = ?3", first, last).first
    }

    package func segment(writer: UniqueID, beginningBy sequence: UInt64) throws -> SegmentRecord? {
        try segments(of: writer, "AND s.first <= ?2 ORDER BY s.first DESC, s.last DESC LIMIT 1", sequence).first
    }

    package func segment(writer: UniqueID, holding sequence: UInt64) throws -> SegmentRecord? {
        let found = try segment(writer: writer, beginningBy: sequence)
        return found.flatMap { $0.last >= sequence ? $0 : nil }
    }

    package func segments(writer: UniqueID) throws -> [SegmentRecord] {
        try segments(of: writer, "ORDER BY s.first")
    }

    /// Costs one step for each segment before the range.
    package func segments(writer: UniqueID, overlapping first: UInt64, _ last: UInt64) throws -> [SegmentRecord] {
        try segments(of: writer, "AND s.first <= ?3 AND s.last >= ?2 ORDER BY s.first", first, last)
    }

    private func segments(of writer: UniqueID, _ condition: String, _ bounds: UInt64...) throws -> [SegmentRecord] {
        let statement = try BoundStatement(
            database,
            """
            SELECT s.first, s.last, s.sha256, s.parked FROM tributary_segment s
            JOIN tributary_writer w ON w.id = s.writer WHERE w.uuid = ?1 \(condition)
            """
        )
        statement.bind(1, writer.description)
        for (index, bound) in bounds.enumerated() { statement.bind(Int32(index + 2), Int64(clamping: bound)) }
        return try statement.all { row in
            SegmentRecord(
                writer: writer,
                first: row.sequence(0),
                last: row.sequence(1),
                sha256: row.text(2),
                deferredCount: Int(row.integer(3))
            )
        }
    }
}

package struct WriterRecord: Sendable, Hashable {
    package var id: UniqueID
    package var name: String?
    package var sequence: UInt64
    package var clock: HybridClock
    package var lastSegmentHash: String?
    /// Without entries that follow from other entries (``VersionVector/implied(by:)``).
    package var seen: VersionVector
    package var isSelf: Bool
    package var state: WriterState?
    package var incarnation: Incarnation

    package init(
        id: UniqueID,
        name: String?,
        sequence: UInt64,
        clock: HybridClock,
        lastSegmentHash: String?,
        seen: VersionVector,
        isSelf: Bool,
        state: WriterState? = nil,
        incarnation: Incarnation = Incarnation()
    ) {
        self.id = id
        self.name = name
        self.sequence = sequence
        self.clock = clock
        self.lastSegmentHash = lastSegmentHash
        self.seen = seen
        self.isSelf = isSelf
        self.state = state
        self.incarnation = incarnation
    }

    /// Whether the writer's store acknowledges what it applies; a producer never does.
    package var acknowledges: Bool { !seen.isEmpty || incarnation.after != nil }

    /// The label of the writer's store; a producer without a label is its own store.
    package var store: UniqueID { incarnation.store ?? id }
}

extension Sequence<WriterRecord> {
    /// The writer that no other writer continues, in O(w); clocks decide last, because a former writer's clock may be ahead.
    package var present: WriterRecord? {
        let continued = Set(compactMap(\.incarnation.after?.writer))
        return self.max { one, other in
            let (isFormer, isOtherFormer) = (continued.contains(one.id), continued.contains(other.id))
            return isFormer == isOtherFormer ? (one.clock, one.id) < (other.clock, other.id) : isFormer
        }
    }
}

package enum WriterState: String, Sendable, Hashable {
    /// Its acknowledgements are ignored until the store applies a newer transaction of it.
    case evicted
    case abandoned
}

package struct SegmentRecord: Sendable, Hashable {
    package var writer: UniqueID
    package var first: UInt64
    package var last: UInt64
    package var sha256: String
    package var deferredCount: Int

    package init(
        writer: UniqueID,
        first: UInt64,
        last: UInt64,
        sha256: String,
        deferredCount: Int = 0
    ) {
        self.writer = writer
        self.first = first
        self.last = last
        self.sha256 = sha256
        self.deferredCount = deferredCount
    }
}
