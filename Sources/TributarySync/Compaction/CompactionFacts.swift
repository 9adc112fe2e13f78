import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

/// The input of the rules of compaction: the store's positions, the baselines, and the own segments.
struct CompactionFacts: Sendable {
    /// A segment in the owner's folder that this store has exported, or applied.
    struct OwnSegment: Hashable, Sendable {
        var name: SegmentName
        var bytes: UInt64
        var since: WallTime
    }

    var own: UniqueID
    /// The writer whose files are looked at: the own one, or one that the store was before.
    var owner: UniqueID
    var doubt = StateDoubt()
    var modelHash: String
    var writers: [WriterRecord]
    /// The hashes with which the writers' logs end, and the branches of forked ones, as far as this store can name them.
    var ends = BaselinePositions()
    /// The writers of whose last segment only a part is applied, or whose last transactions are not exported.
    var unsealed: Set<UniqueID> = []
    var shelf: BaselineShelf
    var segments: [OwnSegment] = []
    /// The owner's first transaction of which there is other content; nil when there is none.
    var forkedFrom: UInt64?
    var keep: Duration
    var wall: WallTime

    init(
        own: UniqueID,
        modelHash: String,
        writers: [WriterRecord],
        shelf: BaselineShelf,
        segments: [OwnSegment] = [],
        keep: Duration,
        wall: WallTime
    ) {
        (self.own, owner) = (own, own)
        (self.modelHash, self.writers, self.shelf, self.segments) = (modelHash, writers, shelf, segments)
        (self.keep, self.wall) = (keep, wall)
    }

    /// The writers that the store was before, or that the store was of which it is a copy.
    var formers: FormerWriters { doubt.formers }

    /// Whether a baseline of this store is built from the log folder, never from the state of the store.
    var buildsFromLog: Bool { doubt.isAny }

    /// Why nothing is compacted while there is other content under the own name; nil when there is none.
    var forkReason: String? {
        guard let forkedFrom else { return nil }
        return "There is other content under this store's own transactions, from \(forkedFrom); it becomes another "
            + "writer by itself."
    }

    /// A writer with branches that this store cannot name in a baseline; nil when there is none.
    var unnamed: UniqueID? { writers.first { !$0.branches.isEmpty && ends.forks[$0.id] == nil }?.id }

    /// The position of each writer; of a forked one that of the branch that reaches furthest.
    var vector: VersionVector { VersionVector(Dictionary(writers.map { ($0.id, $0.reach) }) { first, _ in first }) }

    var positions: BaselinePositions { BaselinePositions(vector: vector, hashes: ends.hashes, forks: ends.forks) }

    /// The owner's first transaction past a fork, from which on nothing of it is removed; nil when there is none.
    ///
    /// A fork is known from files, from branches that this store has applied, and from baselines.
    var keptFrom: UInt64? {
        let branches = writers.first { $0.id == owner }?.branches.map(\.start) ?? []
        let starts = branches + shelf.baselines.values.compactMap { $0.forks[owner]?.start }
        return ([forkedFrom].compactMap(\.self) + starts.map { $0.addingSaturating(1) }).min()
    }

    /// The other writers that acknowledge what they have applied, and that nobody has evicted or given up.
    ///
    /// A producer never acknowledges anything, so it is none of them; neither is the owner, which has what it has written.
    /// A forked writer is one until it is evicted: a program that has not found out yet may still write as it.
    /// A writer that this store was before is one while another store uses it.
    var active: [WriterRecord] {
        writers.filter { writer in
            !writer.isSelf && writer.id != owner && writer.seen != VersionVector()
                && (writer.state == nil || writer.state == .former && formers.isInUse(writer))
        }
    }

    func label(_ writer: UniqueID) -> String {
        let name = writers.first { $0.id == writer }?.name
        return name.map { "\($0) (\(writer))" } ?? "\(writer)"
    }
}

extension CompactionFacts {
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
        doubt.formers = try FormerWriters(reader)
        doubt.isContradicted = try reader.setting(StoreKeys.distrusted) != nil
        for writer in writers {
            ends.hashes[writer.id] = try reader.baselineForks.position(of: writer).hash
            if !writer.branches.isEmpty { ends.forks[writer.id] = try reader.baselineForks.fork(of: writer) }
            guard !writer.isSelf else { continue }
            for branch in [""] + writer.branches.map(\.firstHash)
            where try reader.setting(StoreKeys.partial(writer.id, branch: branch)) != nil {
                unsealed.insert(writer.id)
            }
        }
        let exported = try reader.writers.segment(writer: own.id, beginningBy: own.sequence)?.last ?? 0
        let isExporting = try !reader.outbox.unfinishedExports().isEmpty
        if exported != own.sequence || isExporting { unsealed.insert(own.id) }
    }

    /// Lists the segments of a writer in the log folder that the store has exported or applied with these bounds;
    /// O(n log n).
    static func segments(_ records: [SegmentRecord], of owner: UniqueID, in logs: LogFolder) throws -> [OwnSegment] {
        let known = Set(records.map { SegmentName(writer: owner, first: $0.first, last: $0.last) })
        return try logs.fileNames(of: owner).compactMap { SegmentName(writer: owner, fileName: $0) }
            .filter { known.contains($0) }.sorted()
            .compactMap { name in
                FileFacts(name.path, in: logs).map { OwnSegment(name: name, bytes: $0.bytes, since: $0.since) }
            }
    }
}
