import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

/// What the rules of compaction decide from: the store's positions, the baselines, and the own segments.
struct CompactionFacts: Sendable {
    /// A segment in the own folder that this store has exported.
    struct OwnSegment: Hashable, Sendable {
        var name: SegmentName
        var bytes: UInt64
        /// The wall time since which the file is there.
        var since: WallTime
    }

    var own: UniqueID
    var modelHash: String
    var writers: [WriterRecord]
    /// The writers of whose last segment only a part is applied, or whose last transactions are not exported.
    var unsealed: Set<UniqueID> = []
    var shelf: BaselineShelf
    /// The own segments in the log folder, in order.
    var segments: [OwnSegment] = []
    /// The first own transaction of which there is other content; nil when there is none.
    var forkedFrom: UInt64?
    var keep: Duration
    var wall: WallTime

    /// The position of each writer.
    var vector: VersionVector {
        VersionVector(Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first })
    }

    /// The other writers that acknowledge what they have applied, and that nobody has evicted or given up.
    ///
    /// A producer never acknowledges anything, so it is none of them.
    var active: [WriterRecord] { writers.filter { !$0.isSelf && $0.state == nil && $0.seen != VersionVector() } }

    /// The name of a writer for people.
    func label(_ writer: UniqueID) -> String {
        let name = writers.first { $0.id == writer }?.name
        return name.map { "\($0) (\(writer))" } ?? "\(writer)"
    }
}

extension CompactionFacts {
    /// Reads the store's part.
    ///
    /// - Parameters:
    ///   - reader: Reads the store.
    ///   - modelHash: The version hash of the store's model.
    ///   - shelf: The baselines of the log folder.
    ///   - keep: The shortest time for which own segments stay.
    ///   - wall: The wall time.
    /// - Throws: What reading throws.
    init(_ reader: Reader, modelHash: String, shelf: BaselineShelf, keep: Duration, wall: WallTime) throws {
        let writers = try reader.writers.all().filter { $0.sequence > 0 || $0.isSelf }
        let own = try reader.writers.own()
        self.init(
            own: own.id,
            modelHash: modelHash,
            writers: writers,
            shelf: shelf,
            keep: keep,
            wall: wall
        )
        for writer in writers where !writer.isSelf {
            if try reader.setting(StoreKeys.partial(writer.id)) != nil { unsealed.insert(writer.id) }
        }
        let exported = try reader.writers.segment(writer: own.id, beginningBy: own.sequence)?.last ?? 0
        let isExporting = try !reader.outbox.unfinishedExports().isEmpty
        if exported != own.sequence || isExporting { unsealed.insert(own.id) }
    }

    /// Lists the own segments in the log folder that the store has exported with these bounds; O(n log n).
    ///
    /// - Throws: ``SegmentError`` when the folder cannot be read.
    static func ownSegments(_ exported: [SegmentRecord], own: UniqueID, in logs: LogFolder) throws -> [OwnSegment] {
        let known = Set(exported.map { SegmentName(writer: own, first: $0.first, last: $0.last) })
        return try logs.fileNames(of: own).compactMap { SegmentName(writer: own, fileName: $0) }
            .filter { known.contains($0) }.sorted()
            .compactMap { name in
                FileFacts(name.path, in: logs).map { OwnSegment(name: name, bytes: $0.bytes, since: $0.since) }
            }
    }
}
