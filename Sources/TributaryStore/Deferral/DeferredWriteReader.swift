import GRDB
package import TributaryChanges
import TributaryModel

/// Reads imported values that the model cannot represent, and updates of objects that were never inserted.
///
/// Writes that a migration took out of the tables are left out.
package struct DeferredWriteReader {
    let reader: Reader

    private var table: DeferredWriteTable { DeferredWriteTable(db: reader.database) }

    package func counts() throws -> DeferredCounts {
        var counts = DeferredCounts()
        counts.values = try table.importedCount()
        let objects = "SELECT 1 FROM tributary_object WHERE \(isUnknownObject) LIMIT \(DeferredCounts.limit)"
        let select = try BoundStatement(reader.database, "SELECT count(*) FROM (\(objects))")
        counts.objects = Int(try select.first { $0.integer(0) } ?? 0)
        return counts
    }

    package func overview(limit: Int) throws -> DeferredOverview {
        var overview = DeferredOverview()
        overview.counts = try counts()
        guard !overview.counts.isEmpty else { return overview }
        var origins = try DeferredOrigins(reader)
        var bounds = try table.importedBounds()
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
        overview.written = try table.importedClock()?.wallTime
        overview.newest = try table.imported(of: nil, limit: limit, &origins)
        overview.newest += try unknown.compactMap { write in try origins.origin(write.transaction).map(write.deferred) }
        overview.newest = Array(overview.newest.sorted { $0.since > $1.since }.prefix(limit))
        return overview
    }

    package func segments(after number: Int64 = 0) throws -> [DeferredSegment] {
        var origins = try DeferredOrigins(reader)
        var found: [SegmentRecord: DeferredCounts] = [:]
        for (number, count) in try table.importedTransactions(after: number) {
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

    package func firstWrites(of records: Set<SegmentRecord>) throws -> [SegmentRecord: DeferredWrite] {
        guard !records.isEmpty else { return [:] }
        var origins = try DeferredOrigins(reader)
        var found: [SegmentRecord: DeferredWrite] = [:]
        for (number, _) in try table.importedTransactions(after: 0) {
            guard let record = try origins.segment(number), records.contains(record), found[record] == nil else {
                continue
            }
            found[record] = try table.imported(of: number, limit: 1, &origins).first
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

    package func writes(
        of record: SegmentRecord,
        limit: Int
    ) throws -> (counts: DeferredCounts, writes: [DeferredWrite]) {
        var origins = try DeferredOrigins(reader)
        var counts = DeferredCounts()
        var transactions: [(number: Int64, sequence: UInt64)] = []
        for (number, count) in try table.importedTransactions(after: 0) {
            guard let origin = try origins.origin(number), record.holds(origin) else { continue }
            counts.values += count
            transactions.append((number, origin.sequence))
        }
        var writes: [DeferredWrite] = []
        for transaction in transactions.sorted(by: { $0.sequence < $1.sequence }) where writes.count < limit {
            writes += try table.imported(of: transaction.number, limit: limit - writes.count, &origins)
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

    /// Excludes objects with a deferred insert: the insert itself is reported.
    private var isUnknownObject: String {
        let roots = reader.context.layout.tables.map { String($0.code) }.joined(separator: ", ")
        return """
            deleted IS NULL AND inserted IS NULL AND root IN (\(roots))
            AND id NOT IN (\(DeferredWriteTable.insertedIDs))
            """
    }

    private func forEachUnknownObject(_ block: ([UnknownObjectWrite]) throws -> Void) throws {
        try BoundStatement(
            reader.database,
            """
            SELECT root, id, registers FROM tributary_object WHERE \(isUnknownObject)
            LIMIT \(constant: DeferredCounts.limit)
            """
        ).forEach { row in
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

package struct DeferredWrite: Sendable, Hashable {
    package enum Cause: Sendable, Hashable {
        case model
        case unknownObject
    }

    /// In characters; a value may have megabytes, and reports show less.
    package static let valueLimit = 4_096

    package var cause: Cause
    package var writer: UniqueID
    package var sequence: UInt64
    package var index: Int?
    package var operation: String
    package var entity: String
    package var object: UniqueID
    package var property: String?
    package var value: String?
    package var reason: String
    package var since: WallTime
}

package struct DeferredOverview: Sendable, Hashable {
    package var counts = DeferredCounts()
    package var newest: [DeferredWrite] = []
    package var since: WallTime?
    package var until: WallTime?
    package var written: WallTime?
}

package struct DeferredCounts: Sendable, Hashable {
    package static let limit = 100_000

    package var values = 0
    package var objects = 0

    package var isEmpty: Bool { values == 0 && objects == 0 }

    package init() {}
}

package struct DeferredSegment: Sendable, Hashable {
    package var record: SegmentRecord
    package var counts: DeferredCounts
}

struct DeferredOrigins {
    struct Origin {
        var writer: UniqueID
        var sequence: UInt64
        var since: WallTime
    }

    private let reader: Reader
    private let select: BoundStatement
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

    mutating func segment(_ number: Int64) throws -> SegmentRecord? {
        guard let origin = try origin(number) else { return nil }
        if let lastSegment, lastSegment.holds(origin) { return lastSegment }
        let found = try reader.writers.segment(writer: origin.writer, holding: origin.sequence)
        if let found { lastSegment = found }
        return found
    }
}

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
