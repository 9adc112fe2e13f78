import TransactionLog
import TributaryChanges
import TributaryStore

/// Does what the planner says: verifies segments and applies batches of them.
///
/// For one loop only.
struct Importer {
    private let replica: any LocalReplica
    private let own: UniqueID
    private let control: ImportControl
    private let queue = SerialQueue("tributary.import", inBackground: true)
    private let paused = PausedReader()
    /// More of the newest than a batch takes: what has been verified for a batch is there when it is applied.
    private var verified = VerifiedSegments(limit: 4_096)

    init(replica: any LocalReplica, own: UniqueID, control: ImportControl) {
        self.replica = replica
        self.own = own
        self.control = control
    }

    /// Reads the segments, one after the other.
    mutating func verify(
        _ pending: [WriterListing.Pending],
        configuration: SyncConfiguration,
        positions: [UniqueID: WriterPosition]
    ) async throws -> [(WriterListing.Pending, VerificationOutcome)] {
        let inspector = SegmentInspector(
            path: configuration.logs,
            sliceChanges: configuration.sliceChanges,
            control: control
        )
        let results = try await queue.run { pending.map { ($0, inspector.inspect($0, positions: positions)) } }
        return results.map { pending, result in
            if let segment = result.1 { verified.insert(segment, file: pending.file) }
            return (pending, result.0)
        }
    }

    /// Applies the runs in one SQLite transaction, as far as it goes.
    ///
    /// Segments that it does not know any more are left out and named in the second value: they must be verified again.
    mutating func apply(
        _ runs: [ImportPlanner.Run],
        configuration: SyncConfiguration,
        positions: [UniqueID: WriterPosition],
        abandoned: Set<UniqueID>,
        wall: UInt64
    ) async throws -> (ImportBatch.Outcome, [SegmentName]) {
        var items: [ImportBatch.Item] = []
        var forgotten: [SegmentName] = []
        var stopped: Set<UniqueID> = []
        let partials = try partialRecords(of: Set(runs.map(\.id.writer)))
        for run in runs {
            guard let segment = verified.segment(run.id, file: run.file), segment.end.sha256 == run.segment.sha256
            else {
                forgotten.append(run.id)
                stopped.insert(run.id.writer)
                continue
            }
            guard !stopped.contains(run.id.writer) else { continue }
            let partial = partials[run.id.writer].flatMap { $0.name == run.id ? $0 : nil }
            items.append(ImportBatch.Item(name: run.id, segment: segment, partial: partial))
        }
        guard !items.isEmpty else { return (ImportBatch.Outcome(), forgotten) }
        let batch = ImportBatch(
            logs: try LogFolder(path: configuration.logs),
            paused: paused,
            items: items,
            positions: positions.mapValues(\.sequence),
            own: own,
            abandoned: abandoned,
            sliceChanges: configuration.sliceChanges,
            wall: wall,
            control: control
        )
        let prefetched = try await queue.run { try PrefetchedSegments.read(batch) }
        let outcome = try await replica.importTransactions { try batch.apply($0, prefetched: prefetched) }
        for name in outcome.finished { verified.remove(name) }
        return (outcome, forgotten)
    }

    private func partialRecords(of writers: Set<UniqueID>) throws -> [UniqueID: PartialRecord] {
        try replica.store.read { reader in
            var records: [UniqueID: PartialRecord] = [:]
            for writer in writers {
                records[writer] = try reader.setting(StoreKeys.partial(writer)).flatMap {
                    PartialRecord($0, writer: writer)
                }
            }
            return records
        }
    }
}
