import TransactionLog
import TributaryChanges
import TributaryStore

struct CheckedState: Sendable {
    struct Writer: Sendable {
        var id: UniqueID
        var sequence: UInt64
        var records: [SegmentRecord]
        var partial: PartialRecord?
    }

    let digest: String
    var writers: [Writer] = []
    private(set) var vector = VersionVector()
    let exporters: Set<UniqueID>
    let unfinished: [SegmentName]
    /// Accepted by an administrator regardless of their signatures, with their hashes.
    let accepted: [SegmentName: String]
    private(set) var tails: [UniqueID: [SegmentName]] = [:]
    private(set) var unexported = 0

    /// Also writes the unexported local transactions into `scratch` as segments; O(n) for objects, segments and writers.
    init(_ reader: Reader, scratch: String, progress: (Int64) -> Void) throws {
        digest = try reader.mergeState.digest(progress: progress).digest
        for writer in try reader.writers.all() where writer.sequence > 0 {
            vector[writer.id] = writer.sequence
            writers.append(
                Writer(
                    id: writer.id,
                    sequence: writer.sequence,
                    records: try reader.writers.segments(writer: writer.id),
                    partial: try SyncRecords.partial(of: writer.id, reader)
                )
            )
        }
        accepted = try reader.setting(StoreKeys.accepted).map(SyncRecords.accepted) ?? [:]
        exporters = Set(try reader.outbox.exporters())
        let begun = try reader.outbox.unfinishedExports()
        unfinished = begun.map(\.name)
        for range in begun { try stage(range.writer, range.first...range.last, reader, scratch) }
        for (writer, first) in try reader.outbox.unexported() {
            var next = first
            while let run = try reader.outbox.run(of: writer, from: next) {
                try stage(writer, run, reader, scratch)
                next = run.upperBound + 1
            }
        }
    }

    private mutating func stage(
        _ writer: UniqueID,
        _ run: ClosedRange<UInt64>,
        _ reader: Reader,
        _ scratch: String
    ) throws {
        let name = SegmentName(writer: writer, first: run.lowerBound, last: run.upperBound)
        let header = SegmentHeader(writer: writer, first: name.first, last: name.last)
        let range = ExportRange(writer: writer, first: name.first, last: name.last, header: header.line)
        _ = try LogFolder(path: scratch).publish(name, header: range.header) { file in
            try reader.outbox.forEachPiece(of: range) { lines, changes in
                try file.append(lines: lines, changes: changes)
                if changes != nil { unexported += 1 }
            }
        }
        tails[writer, default: []].append(name)
    }

    /// The rebuilt store begins with these baselines; empty while all segments are in the folder.
    func bases(_ known: KnownBaselines, listing: LogListing) -> [KnownBaseline] {
        let covered = known.covered
        let lacksSegments = writers.contains {
            reached($0, from: 0, listing) < min(covered[$0.id], $0.sequence)
        }
        return lacksSegments ? known.bases(of: vector) : []
    }

    /// Whether some applied transactions are in neither a segment nor a verified baseline; O(n) for the segments.
    func hasHole(besides known: KnownBaselines, listing: LogListing) -> Bool {
        let covered = known.covered
        return writers.contains { reached($0, from: covered[$0.id], listing) < $0.sequence }
    }

    private func reached(_ writer: Writer, from position: UInt64, _ listing: LogListing) -> UInt64 {
        let names = Set(listing.names[writer.id] ?? [])
        let partial = writer.partial.map { [$0.name] } ?? []
        let present = (writer.records.map(\.name) + partial).filter(names.contains) + (tails[writer.id] ?? [])
        return min(present.reached(from: position), writer.sequence)
    }
}
