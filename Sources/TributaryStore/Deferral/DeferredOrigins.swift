import GRDB
import TributaryChanges

/// Finds the transactions and applied segments from which deferred writes come.
struct DeferredOrigins {
    struct Origin {
        var writer: UniqueID
        var sequence: UInt64
        var since: WallTime
    }

    private let reader: Reader
    private let select: BoundStatement
    /// The origins by transaction number; nil for a transaction that does not exist.
    private var known: [Int64: Origin?] = [:]
    private var lastSegment: SegmentRecord?
    private static let limit = 10_000

    init(_ reader: Reader) throws {
        self.reader = reader
        select = try BoundStatement(
            reader.database,
            """
            SELECT w.uuid, t.sequence, t.committed_at FROM tributary_transaction t
            JOIN tributary_writer w ON w.id = t.writer WHERE t.number = ?1
            """
        )
    }

    /// The origin of the transaction with the given number in this store.
    mutating func origin(_ number: Int64) throws -> Origin? {
        if let origin = known[number] { return origin }
        select.bind(1, number)
        let found = try select.first { row -> Origin? in
            UniqueID(row.text(0)).map {
                Origin(
                    writer: $0,
                    sequence: UInt64(bitPattern: row.integer(1)),
                    since: WallTime(unixSeconds: row.double(2))
                )
            }
        }
        if known.count >= DeferredOrigins.limit { known.removeAll() }
        known[number] = found ?? nil
        return found ?? nil
    }

    /// The applied segment that contains the transaction; nil for a segment that is partly applied.
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
