import TransactionLog
import TributaryChanges
import TributaryStore

/// One state of the store: its digest, and the segments that its positions come from.
struct CheckedState: Sendable {
    struct Writer: Sendable {
        var id: UniqueID
        var sequence: UInt64
        var records: [SegmentRecord]
        var partial: PartialRecord?
    }

    var own: UniqueID
    var digest: StoreDigest
    var writers: [Writer] = []
    private(set) var vector = VersionVector()
    var exporters: Set<UniqueID> = []
    var unfinished: [SegmentName] = []
    /// The segments with the local transactions that are not exported, in the scratch folder.
    var tails: [SegmentName] = []
    var unexported = 0

    /// Reads the state, and writes the local transactions that are not exported into `scratch`, as a segment.
    init(_ reader: Reader, scratch: String, progress: (Int64) -> Void) throws {
        own = try reader.writers.own().id
        digest = try reader.mergeState.digest(progress: progress)
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
        exporters = Set(try reader.outbox.exporters())
        let begun = try reader.outbox.unfinishedExports()
        unfinished = begun.map { SegmentName(writer: $0.writer, first: $0.first, last: $0.last) }
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
        _ = try SegmentPublisher(LogFolder(path: scratch)).publish(name, header: range.header) { file in
            try reader.outbox.forEachPiece(of: range) { lines, changes in
                try file.append(lines: lines, changes: changes)
                if changes != nil { unexported += 1 }
            }
        }
        tails.append(name)
    }
}

/// The verified baselines of the log folder, as a check uses them.
struct CheckedBaselines: Sendable {
    /// For each writer, the last transaction that a verified baseline has: older segments may be gone.
    let covered: VersionVector
    /// The baselines with which the rebuilt store begins; none while all segments are there.
    let bases: [KnownBaseline]

    /// Chooses baselines that the state has applied, where segments are missing.
    init(_ knownBaselines: KnownBaselines, state: CheckedState, listing: [UniqueID: [SegmentName]]) {
        var covered = VersionVector()
        for baseline in knownBaselines.verified {
            for (writer, sequence) in baseline.vector.entries { covered[writer] = max(covered[writer], sequence) }
        }
        self.covered = covered
        let lacksSegments = state.writers.contains { writer in
            guard covered[writer.id] > 0 else { return false }
            let names = Set(listing[writer.id] ?? [])
            var reached: UInt64 = 0
            for record in writer.records where record.first <= reached.addingSaturating(1) {
                let name = SegmentName(writer: writer.id, first: record.first, last: record.last)
                if names.contains(name) { reached = max(reached, record.last) }
            }
            return reached < min(covered[writer.id], writer.sequence)
        }
        bases = lacksSegments ? knownBaselines.bases(of: state.vector) : []
    }
}
