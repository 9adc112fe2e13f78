import GRDB
import TributaryChanges

/// The store's own writer before it becomes another one, with what it has published.
struct FormerWriter {
    let row: Int64
    let id: UniqueID
    let name: String?
    /// Its last published transaction, 0 for none.
    let published: UInt64
    let clock: HybridClock
    /// The hash of its last published segment; nil when it is not known.
    let hash: String?

    init(_ db: Database, _ mint: WriterMint) throws {
        let own = try WriterReader.own(db)
        (row, id, name) = (own.row, own.id, own.name)
        let segments = try BoundStatement(
            db,
            """
            SELECT last, sha256 FROM tributary_segment WHERE writer = ?1 AND last <= ?2 ORDER BY last DESC LIMIT 1
            """
        )
        segments.bind(1, row)
        segments.bind(2, Int64(bitPattern: own.sequence))
        let last = try segments.first { (UInt64(bitPattern: $0.integer(0)), $0.text(1)) }
        published = max(last?.0 ?? 0, min(mint.publishedThrough, own.sequence))
        switch mint.lastSegment {
        case .compacted(let known) where published > last?.0 ?? 0: hash = known
        case .recorded, .compacted: hash = last?.1
        }
        let clocks = try BoundStatement(
            db,
            "SELECT clock FROM tributary_transaction WHERE writer = ?1 AND sequence = ?2 AND sequence > 0"
        )
        clocks.bind(1, row)
        clocks.bind(2, Int64(bitPattern: published))
        clock = HybridClock(rawValue: try clocks.first { UInt64(bitPattern: $0.integer(0)) } ?? 0)
    }
}
