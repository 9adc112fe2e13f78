import GRDB
package import TributaryChanges
import TributaryModel

/// Reads imported writes that have no effect yet; its functions throw ``StoreError`` when the store cannot be read.
///
/// The writes are values that the model cannot represent, and updates of objects that were never inserted, from
/// segments or from a baseline. Writes that a migration took out of the tables are not counted.
package struct DeferredWriteReader {
    let reader: Reader

    private var database: Database { reader.database }

    /// A migration gives its writes other positions below zero.
    private static let isImported = """
        (position >= 0 OR position BETWEEN \(TransactionCursor.joinedPositions.lowerBound) \
        AND \(TransactionCursor.joinedPositions.upperBound))
        """

    /// Each count is at most ``DeferredCounts/limit``.
    package func counts() throws -> DeferredCounts {
        func count(_ rows: String) throws -> Int {
            let sql = "SELECT count(*) FROM (SELECT 1 FROM \(rows) LIMIT \(DeferredCounts.limit))"
            return Int(try BoundStatement(database, sql).first { $0.integer(0) } ?? 0)
        }
        var counts = DeferredCounts()
        counts.values = try count("tributary_parked WHERE \(DeferredWriteReader.isImported)")
        counts.objects = try count("tributary_object WHERE \(isUnknownObject)")
        return counts
    }

    package func overview(limit: Int) throws -> DeferredOverview {
        var overview = DeferredOverview()
        overview.counts = try counts()
        guard !overview.counts.isEmpty else { return overview }
        var origins = try DeferredOrigins(reader)
        var bounds: [Int64] = []
        for function in ["min", "max"] {
            let sql = """
                SELECT \(function)(version) FROM tributary_parked
                WHERE \(DeferredWriteReader.isImported)
                """
            if let number = try BoundStatement(database, sql).first({ $0.optionalInteger(0) }) ?? nil {
                bounds.append(number)
            }
        }
        var unknown: [UnknownObjectWrite] = []
        try forEachUnknownObject { writes in
            bounds += writes.map(\.transaction)
            bounds = [bounds.min(), bounds.max()].compactMap(\.self)
            let oldest = unknown.count < limit ? 0 : unknown.last?.transaction ?? 0
            let newer = writes.filter { $0.transaction > oldest }
            guard !newer.isEmpty else { return }
            unknown = Array((unknown + newer).sorted { $0.transaction > $1.transaction }.prefix(limit))
        }
        overview.since = try bounds.min().flatMap { try origins.origin($0)?.since }
        overview.until = try bounds.max().flatMap { try origins.origin($0)?.since }
        overview.newest = try deferredByModel("TRUE", order: "version DESC,", limit: limit)
        overview.newest += try unknown.compactMap { write in try origins.origin(write.transaction).map(write.deferred) }
        overview.newest = Array(overview.newest.sorted { $0.since > $1.since }.prefix(limit))
        return overview
    }

    /// The applied segments with deferred writes of transactions after `number`.
    package func segments(after number: Int64 = 0) throws -> [DeferredSegment] {
        var origins = try DeferredOrigins(reader)
        var found: [SegmentRecord: DeferredCounts] = [:]
        for (number, count) in try deferredTransactions(after: number) {
            guard let record = try origins.segment(number) else { continue }
            found[record, default: DeferredCounts()].values += count
        }
        try forEachUnknownObject { writes in
            var segments: Set<SegmentRecord> = []
            for write in writes where write.transaction > number {
                guard let record = try origins.segment(write.transaction), segments.insert(record).inserted else {
                    continue
                }
                found[record, default: DeferredCounts()].objects += 1
            }
        }
        return found.map { DeferredSegment(record: $0.key, counts: $0.value) }
    }

    /// The first deferred write of each segment; a value that the model cannot represent comes before an object that
    /// was never inserted.
    package func firstWrites(of records: Set<SegmentRecord>) throws -> [SegmentRecord: DeferredWrite] {
        guard !records.isEmpty else { return [:] }
        var origins = try DeferredOrigins(reader)
        var found: [SegmentRecord: DeferredWrite] = [:]
        for (number, _) in try deferredTransactions(after: 0) {
            guard let record = try origins.segment(number), records.contains(record), found[record] == nil else {
                continue
            }
            found[record] = try deferredByModel("version = \(number)", limit: 1).first
        }
        guard found.count < records.count else { return found }
        try forEachUnknownObject { writes in
            for write in writes {
                guard let record = try origins.segment(write.transaction), records.contains(record),
                    found[record] == nil, let origin = try origins.origin(write.transaction)
                else { continue }
                found[record] = write.deferred(origin)
            }
        }
        return found
    }

    /// Returns at most `limit` writes, in order.
    package func writes(
        of record: SegmentRecord,
        limit: Int
    ) throws -> (counts: DeferredCounts, writes: [DeferredWrite]) {
        var origins = try DeferredOrigins(reader)
        var counts = DeferredCounts()
        var transactions: [(number: Int64, sequence: UInt64)] = []
        for (number, count) in try deferredTransactions(after: 0) {
            guard let origin = try origins.origin(number), record.holds(origin) else { continue }
            counts.values += count
            transactions.append((number, origin.sequence))
        }
        var writes: [DeferredWrite] = []
        for transaction in transactions.sorted(by: { $0.sequence < $1.sequence }) where writes.count < limit {
            let condition = "version = \(transaction.number)"
            writes += try deferredByModel(condition, limit: limit - writes.count)
        }
        try forEachUnknownObject { found in
            var isCounted = false
            for write in found {
                guard let origin = try origins.origin(write.transaction), record.holds(origin) else { continue }
                if !isCounted { counts.objects += 1 }
                isCounted = true
                if writes.count < limit { writes.append(write.deferred(origin)) }
            }
        }
        return (counts, writes)
    }

    /// Ordered by number.
    private func deferredTransactions(after number: Int64) throws -> [(number: Int64, count: Int)] {
        let select = try BoundStatement(
            database,
            """
            SELECT version, count(*) FROM tributary_parked
            WHERE version > ?1 AND \(DeferredWriteReader.isImported)
            GROUP BY version
            """
        )
        select.bind(1, number)
        var found: [(number: Int64, count: Int)] = []
        try select.forEach { found.append(($0.integer(0), Int($0.integer(1)))) }
        return found
    }

    /// Ordered within each transaction.
    private func deferredByModel(_ condition: String, order: String = "", limit: Int) throws -> [DeferredWrite] {
        let select = try BoundStatement(
            database,
            """
            SELECT version, position, operation, entity, id, property,
                substr(value, 1, \(DeferredWrite.valueLimit)), reason
            FROM tributary_parked WHERE \(DeferredWriteReader.isImported) AND \(condition)
            ORDER BY \(order) position, part LIMIT \(limit)
            """
        )
        var origins = try DeferredOrigins(reader)
        var found: [DeferredWrite] = []
        try select.forEach { row in
            guard let origin = try origins.origin(row.integer(0)), let object = row.id(4) else { return }
            found.append(
                DeferredWrite(
                    cause: .model,
                    writer: origin.writer,
                    sequence: origin.sequence,
                    index: row.integer(1) < 0 ? nil : Int(row.integer(1)),
                    operation: row.text(2),
                    entity: row.text(3),
                    object: object,
                    property: row.optionalText(5),
                    value: row.optionalText(6),
                    reason: row.text(7),
                    since: origin.since
                )
            )
        }
        return found
    }

    /// An object of an unknown entity does not count, because its insert itself is deferred.
    private var isUnknownObject: String {
        let roots = reader.context.layout.tables.map { String($0.code) }.joined(separator: ", ")
        return """
            deleted IS NULL AND inserted IS NULL AND root IN (\(roots))
            AND id NOT IN (SELECT id FROM tributary_parked WHERE operation = 'insert')
            """
    }

    /// Calls `block` once for each object, for at most ``DeferredCounts/limit`` objects.
    private func forEachUnknownObject(_ block: ([UnknownObjectWrite]) throws -> Void) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT root, id, registers FROM tributary_object WHERE \(isUnknownObject)
            LIMIT \(DeferredCounts.limit)
            """
        )
        try select.forEach { row in
            guard let id = row.id(1), let index = reader.context.layout.tableIndex(code: row.integer(0)) else { return }
            let table = reader.context.layout.tables[index]
            let partial = row.withBytes(2) { PartialRow(deleted: nil, packed: $0) }
            let registers = partial.registers.filter { table.columns.indices.contains($0.key) }
            try block(
                registers.sorted { $0.key < $1.key }.map { column, register in
                    UnknownObjectWrite(
                        transaction: register.version,
                        table: table,
                        columnIndex: column,
                        object: id,
                        value: register.value
                    )
                }
            )
        }
    }
}

extension SegmentRecord {
    fileprivate func holds(_ origin: DeferredOrigins.Origin) -> Bool {
        writer == origin.writer && first <= origin.sequence && origin.sequence <= last
    }
}

/// A write of an imported transaction that has no effect yet.
package struct DeferredWrite: Sendable, Hashable {
    package enum Cause: Sendable, Hashable {
        case model
        case unknownObject
    }

    /// In characters: reports show fewer, and a value may have megabytes.
    package static let valueLimit = 4_096

    package var cause: Cause
    package var writer: UniqueID
    package var sequence: UInt64
    /// The index of the change in its transaction; nil when the store does not know it.
    package var index: Int?
    package var operation: String
    package var entity: String
    package var object: UniqueID
    package var property: String?
    /// The beginning of the JSON text, at most ``valueLimit`` characters.
    package var value: String?
    package var reason: String
    package var since: WallTime
}

/// A summary of the imported writes that have no effect yet.
package struct DeferredOverview: Sendable, Hashable {
    package var counts = DeferredCounts()
    /// Newest first.
    package var newest: [DeferredWrite] = []
    /// The first and the last import with deferred writes.
    package var since: WallTime?
    package var until: WallTime?

    package init() {}
}

/// The numbers of imported writes that have no effect yet.
package struct DeferredCounts: Sendable, Hashable {
    package static let limit = 100_000

    package var values = 0
    /// Objects that were updated and never inserted.
    package var objects = 0

    package var isEmpty: Bool { values == 0 && objects == 0 }

    package init() {}
}

/// The number of writes of one applied segment that have no effect yet.
package struct DeferredSegment: Sendable, Hashable {
    package var record: SegmentRecord
    package var counts: DeferredCounts
}

/// Finds the transactions and applied segments from which deferred writes come.
struct DeferredOrigins {
    struct Origin {
        var writer: UniqueID
        var sequence: UInt64
        var since: WallTime
    }

    private let reader: Reader
    private let select: BoundStatement
    /// By transaction number; nil for a transaction that does not exist.
    private var known: [Int64: Origin?] = [:]
    private var lastSegment: SegmentRecord?
    private static let limit = 10_000

    init(_ reader: Reader) throws {
        self.reader = reader
        select = try TransactionOrigin.select(reader.database)
    }

    mutating func origin(_ number: Int64) throws -> Origin? {
        if let origin = known[number] { return origin }
        select.bind(1, number)
        let found = try select.first { row in
            let found = TransactionOrigin(row)
            return Origin(
                writer: found.version.writer,
                sequence: found.origin.sequence,
                since: found.committedAt
            )
        }
        if known.count >= DeferredOrigins.limit { known.removeAll() }
        known[number] = .some(found)
        return found
    }

    /// Nil for a segment that is partly applied.
    mutating func segment(_ number: Int64) throws -> SegmentRecord? {
        guard let origin = try origin(number) else { return nil }
        if let lastSegment, lastSegment.writer == origin.writer, lastSegment.first <= origin.sequence,
            origin.sequence <= lastSegment.last
        {
            return lastSegment
        }
        let found = try reader.writers.segment(writer: origin.writer, holding: origin.sequence)
        if let found { lastSegment = found }
        return found
    }
}

/// A value that waits for the insert of its object.
struct UnknownObjectWrite {
    var transaction: Int64
    var table: TableLayout
    var columnIndex: Int
    var object: UniqueID
    var value: PropertyValue

    func deferred(_ origin: DeferredOrigins.Origin) -> DeferredWrite {
        DeferredWrite(
            cause: .unknownObject,
            writer: origin.writer,
            sequence: origin.sequence,
            operation: "update",
            entity: table.root.name,
            object: object,
            property: table.columns[columnIndex].property,
            value: String(value.json.text.prefix(DeferredWrite.valueLimit)),
            reason: "no segment has inserted the object yet",
            since: origin.since
        )
    }
}
