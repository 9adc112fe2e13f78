import TransactionLog
import TributaryChanges
import TributaryStore

/// A stage of the import: reads whole segments, classifies them, and caches the facts that applying them needs.
struct SegmentVerification {
    /// The result of reading one segment.
    struct Result: Sendable {
        var segment: WriterListing.Pending
        var outcome: VerificationOutcome
    }

    private let queue: SerialQueue
    private let control: ImportControl
    /// The cache holds more segments than a batch takes, so that the verified segments of a batch are in it.
    private var verified = VerifiedSegments(limit: 4_096)

    /// Creates the stage; it runs blocking work on `queue`.
    init(queue: SerialQueue, control: ImportControl) {
        self.queue = queue
        self.control = control
    }

    /// Reads the segments one after the other.
    ///
    /// - Parameters:
    ///   - segments: the segments that the planner requests.
    ///   - configuration: the settings.
    ///   - positions: the position of each writer.
    /// - Returns: A result for each segment, in order.
    mutating func verify(
        _ segments: [WriterListing.Pending],
        configuration: SyncConfiguration,
        positions: [UniqueID: WriterPosition]
    ) async -> [Result] {
        let inspector = SegmentInspector(
            path: configuration.logs,
            sliceChanges: configuration.sliceChanges,
            control: control
        )
        let results = await queue.run { segments.map { ($0, inspector.inspect($0, positions: positions)) } }
        return results.map { segment, result in
            if let valid = result.1 { verified.insert(valid, file: segment.file) }
            return Result(segment: segment, outcome: result.0)
        }
    }

    /// The verified segments of the runs.
    ///
    /// - Returns: The segments to apply, and those that are not in the cache any more and must be verified again;
    ///   segments of the same writer after such a segment are left out.
    func items(of runs: [ImportPlanner.Run]) -> (known: [ImportBatch.Item], forgotten: [SegmentName]) {
        var items: [ImportBatch.Item] = []
        var forgotten: [SegmentName] = []
        var stopped: Set<UniqueID> = []
        for run in runs {
            guard let segment = verified.segment(run.id, file: run.file), segment.end.sha256 == run.segment.sha256
            else {
                forgotten.append(run.id)
                stopped.insert(run.id.writer)
                continue
            }
            guard !stopped.contains(run.id.writer) else { continue }
            items.append(ImportBatch.Item(name: run.id, segment: segment))
        }
        return (items, forgotten)
    }

    /// Removes applied segments from the cache.
    mutating func remove(_ applied: [SegmentName]) {
        for name in applied { verified.remove(name) }
    }
}
