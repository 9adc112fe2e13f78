import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

/// The input of the rules of compaction: the store's positions, the baselines, and the own segments.
struct CompactionFacts: Sendable {
    /// A segment in the owner's folder that this store has exported or applied, or joined with a baseline.
    struct OwnSegment: Hashable, Sendable {
        var name: SegmentName
        var bytes: UInt64
        var since: WallTime
    }

    var own: UniqueID
    /// The label of this store.
    var store: UniqueID
    /// The writer whose files are looked at: the own one, or one that the store was before.
    var owner: UniqueID
    /// Whether the log folder has contradicted the store's own state, which proves nothing then: a baseline is built
    /// from the log folder.
    var isContradicted = false
    /// Whether the store has transactions that are in no segment yet.
    var hasUnexported = false
    var modelHash: String
    var writers: [WriterRecord]
    var knownBaselines: KnownBaselines
    var segments: [OwnSegment] = []
    var keep: Duration
    var wall: WallTime

    init(
        own: UniqueID,
        store: UniqueID? = nil,
        modelHash: String,
        writers: [WriterRecord],
        knownBaselines: KnownBaselines,
        segments: [OwnSegment] = [],
        keep: Duration,
        wall: WallTime
    ) {
        (self.own, self.store, owner) = (own, store ?? own, own)
        (self.modelHash, self.writers, self.knownBaselines, self.segments) = (
            modelHash, writers, knownBaselines, segments
        )
        (self.keep, self.wall) = (keep, wall)
    }

    /// The writers that the store is and was, the present one first.
    var owners: [UniqueID] { [own] + writers.filter { $0.store == store && $0.id != own }.map(\.id) }

    /// Whether a writer goes on from the same one as the own writer, after however many others: a fault of the state that
    /// they had in common is in both.
    func sharesOrigin(_ writer: UniqueID) -> Bool {
        let before = Dictionary(writers.map { ($0.id, $0.incarnation.after?.writer) }) { first, _ in first }
        func chain(_ writer: UniqueID) -> Set<UniqueID> {
            var (last, chain) = (writer, Set([writer]))
            while let next = before[last] ?? nil, chain.insert(next).inserted { last = next }
            return chain
        }
        return !chain(own).isDisjoint(with: chain(writer))
    }

    /// Whether a baseline has been there for a day.
    func isOld(_ baseline: KnownBaseline) -> Bool {
        knownBaselines.mark(baseline.name.path)?.modified.isOlder(than: .seconds(86_400), at: wall) ?? false
    }

    var vector: VersionVector {
        VersionVector(Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first })
    }

    /// Another store that acknowledges what it has applied, and that nobody has evicted or given up.
    struct Peer: Hashable, Sendable {
        /// The writer of the store that has written last.
        var writer: WriterRecord
        /// What it has acknowledged, with what follows from that.
        var seen: VersionVector
    }

    /// The other stores that acknowledge what they have applied; O(w).
    ///
    /// A producer never acknowledges anything, so it is none of them. A store that was evicted is one again once
    /// something newer of it is applied, under whatever writer.
    var active: [Peer] {
        let others = writers.filter { !$0.isSelf && $0.store != store && $0.acknowledges }
        let after = Dictionary(writers.compactMap { writer in writer.incarnation.after.map { (writer.id, $0) } }) { $1 }
        return Dictionary(grouping: others, by: \.store).values.compactMap { writers in
            guard writers.contains(where: { $0.state == nil }), let last = writers.max(by: { $0.clock < $1.clock })
            else {
                return nil
            }
            // A copy has seen what the store has that it was made of.
            var all = last.seen
            for writer in writers { all[writer.id] = max(all[writer.id], writer.sequence) }
            var seen = last.seen
            for (other, sequence) in all.implied(by: after).entries { seen[other] = max(seen[other], sequence) }
            return Peer(writer: last, seen: seen)
        }
        .sorted { $0.writer.id < $1.writer.id }
    }

    func label(_ writer: UniqueID) -> String {
        let name = writers.first { $0.id == writer }?.name
        return name.map { "\($0) (\(writer))" } ?? "\(writer)"
    }
}

extension CompactionFacts {
    /// Reads the facts of a store.
    init(_ reader: Reader, modelHash: String, knownBaselines: KnownBaselines, keep: Duration, wall: WallTime) throws {
        let writers = try reader.writers.all().filter { $0.sequence > 0 || $0.isSelf }
        let own = try reader.writers.own()
        self.init(
            own: own.id,
            store: own.store,
            modelHash: modelHash,
            writers: writers,
            knownBaselines: knownBaselines,
            keep: keep,
            wall: wall
        )
        hasUnexported = try !reader.outbox.unexported().isEmpty || !reader.outbox.unfinishedExports().isEmpty
        isContradicted = try reader.setting(StoreKeys.distrusted) != nil
    }

    /// Lists the segments of a writer in the log folder that the store has exported or applied with these bounds, or of
    /// which it has got all transactions with a baseline; O(n log n).
    ///
    /// One with other bounds than what was applied may have other content: it stays.
    static func segments(
        _ records: [SegmentRecord],
        of owner: UniqueID,
        through position: UInt64,
        in logs: LogFolder
    ) throws -> [OwnSegment] {
        var rest = records[...]
        return try logs.fileNames(of: owner).compactMap { SegmentName(writer: owner, fileName: $0) }.sorted()
            .compactMap { name in
                rest = rest.drop { $0.last < name.first }
                let isKnown = rest.first.map { $0.first > name.last || $0.first == name.first && $0.last == name.last }
                guard isKnown ?? true, name.last <= position else { return nil }
                return FileFacts(name.path, in: logs).map { OwnSegment(name: name, bytes: $0.bytes, since: $0.since) }
            }
    }
}
