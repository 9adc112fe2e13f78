import TransactionLog
import TributaryChanges
import TributaryStore

struct CompactionFacts: Sendable {
    /// A segment in the owner's folder that this store has exported or applied, or joined with a baseline.
    struct OwnSegment: Hashable, Sendable {
        var name: SegmentName
        var bytes: UInt64
        var since: WallTime
    }

    var own: UniqueID
    var store: UniqueID
    /// The owner of the examined files: the own writer, or a former writer of the store.
    var owner: UniqueID
    var hasUnexported = false
    var modelHash: String
    var writers: [WriterRecord]
    var knownBaselines: KnownBaselines
    var segments: [OwnSegment] = []
    var keep: Duration
    var wall: WallTime

    var owners: [UniqueID] { [own] + writers.filter { $0.store == store && $0.id != own }.map(\.id) }

    /// Copies of a store have a common former writer, and therefore share the faults of its state.
    func sharesOrigin(_ writer: UniqueID) -> Bool {
        let before = Dictionary(writers.map { ($0.id, $0.incarnation.after?.writer) }) { first, _ in first }
        func chain(_ writer: UniqueID) -> Set<UniqueID> {
            var (last, chain) = (writer, Set([writer]))
            while let next = before[last] ?? nil, chain.insert(next).inserted { last = next }
            return chain
        }
        return !chain(own).isDisjoint(with: chain(writer))
    }

    func isOld(_ baseline: KnownBaseline) -> Bool {
        knownBaselines.marks[baseline.name.path]?.modified.isOlder(than: .seconds(86_400), at: wall) ?? false
    }

    var vector: VersionVector { VersionVector(writers) }

    /// Another store that acknowledges applied transactions, and that nobody has evicted or abandoned.
    struct Peer: Hashable, Sendable {
        var writer: WriterRecord
        var writers: [WriterRecord]
        var seen: VersionVector
    }

    /// A producer never acknowledges, so it is not active; an evicted store is active after its next transaction; O(w).
    var active: [Peer] { CompactionFacts.active(beside: store, among: writers) }

    static func active(beside store: UniqueID, among writers: [WriterRecord]) -> [Peer] {
        let others = writers.filter { !$0.isSelf && $0.store != store && $0.acknowledges }
        let after = Dictionary(writers.compactMap { writer in writer.incarnation.after.map { (writer.id, $0) } }) { $1 }
        return Dictionary(grouping: others, by: \.store).values.compactMap { writers in
            guard writers.contains(where: { $0.state == nil }), let last = writers.present else { return nil }
            // A copy has seen the transactions of the store that it was copied from.
            var all = last.seen
            for writer in writers { all[writer.id] = max(all[writer.id], writer.sequence) }
            var seen = last.seen
            for (other, sequence) in all.implied(by: after).entries { seen[other] = max(seen[other], sequence) }
            return Peer(writer: last, writers: writers, seen: seen)
        }
        .sorted { $0.writer.id < $1.writer.id }
    }

    /// An own baseline with a transaction that exists nowhere else; O(w + n) for each own baseline and n segments.
    func lone(_ listing: LogListing) -> (baseline: KnownBaseline, missing: AppliedSegments.Transaction)? {
        let (peers, owners, covered) = (active, Set(owners), knownBaselines.covered)
        guard !peers.isEmpty else { return nil }
        let others = Set(peers.map(\.writer.store))
        for baseline in knownBaselines.unverified where owners.contains(baseline.name.writer) {
            for writer in writers where !others.contains(writer.store) && listing.unreadable[writer.id] == nil {
                let known = peers.reduce(covered[writer.id]) { max($0, $1.seen[writer.id]) }
                let reached = (listing.names[writer.id] ?? []).reached(from: known)
                guard reached < baseline.vector[writer.id] else { continue }
                return (baseline, .init(writer: writer.id, sequence: reached + 1))
            }
        }
        return nil
    }

    func label(_ writer: UniqueID) -> String {
        let name = writers.first { $0.id == writer }?.name
        return name.map { "\($0) (\(writer))" } ?? "\(writer)"
    }
}

/// Segments of this store that are missing or damaged in the log folder, and that somebody may still need.
struct MissingExports: Hashable, Sendable {
    var count: Int
    var first: SegmentName
    /// The file of the first segment is there, but it is damaged.
    var isDamaged: Bool
    /// Whether its name belongs to a folder, a link or a pipe.
    var isReplaced = false
    /// The last transaction of the last segment.
    var last: UInt64
    /// Whether the store still has the lines of the first segment, and publishes it again.
    var isKept: Bool
}

extension CompactionFacts {
    /// For each owner, the last transaction that a verified baseline or every active store has; O(w).
    var released: [UniqueID: UInt64] {
        let (covered, peers) = (knownBaselines.covered, active)
        return owners.reduce(into: [:]) { released, owner in
            released[owner] = max(covered[owner], peers.map { $0.seen[owner] }.min() ?? 0)
        }
    }

    /// The segments that the folder lacks, also under other bounds; O(n) for lists in the order of `first`.
    static func missing(
        _ records: [SegmentRecord],
        after released: UInt64,
        among names: [SegmentName]
    ) -> [SegmentRecord] {
        var there: [ClosedRange<UInt64>] = []
        for name in names where name.first <= name.last {
            if let last = there.last, name.first <= last.upperBound.addingSaturating(1) {
                there[there.count - 1] = last.lowerBound...max(last.upperBound, name.last)
            } else {
                there.append(name.first...name.last)
            }
        }
        var rest = there[...]
        return records.filter { record in
            guard record.last > released else { return false }
            while let range = rest.first, range.upperBound < record.last { rest.removeFirst() }
            return rest.first.map { $0.lowerBound > max(record.first, released.addingSaturating(1)) } ?? true
        }
    }
}

extension VersionVector {
    init(_ writers: [WriterRecord]) {
        self.init(Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first })
    }
}

extension CompactionFacts {
    init(_ reader: Reader, modelHash: String, knownBaselines: KnownBaselines, keep: Duration, wall: WallTime) throws {
        let writers = try reader.writers.all().filter { $0.sequence > 0 || $0.isSelf }
        let own = try reader.writers.own()
        self.init(
            own: own.id,
            store: own.store,
            owner: own.id,
            hasUnexported: try !reader.outbox.unexported().isEmpty || !reader.outbox.unfinishedExports().isEmpty,
            modelHash: modelHash,
            writers: writers,
            knownBaselines: knownBaselines,
            keep: keep,
            wall: wall
        )
    }

    /// Leaves out segments with other bounds, because they may have other content; O(n log n).
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
                return FileAttributes(name.path, in: logs).map {
                    OwnSegment(name: name, bytes: $0.bytes, since: $0.modified.wall)
                }
            }
    }
}
