import TransactionLog
import TributaryChanges

/// A cache of the newest verified segments until they are applied, with at least `limit` and at most twice as many.
struct VerifiedSegments {
    private struct Known {
        var file: FileIdentity
        var segment: VerifiedSegment
    }

    private let limit: Int
    private var newer: [SegmentName: Known] = [:]
    private var older: [SegmentName: Known] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    mutating func insert(_ segment: VerifiedSegment, file: FileIdentity) {
        if newer.count >= limit { (older, newer) = (newer, [:]) }
        newer[segment.name] = Known(file: file, segment: segment)
    }

    /// The segment, if exactly this file was verified.
    private func segment(_ name: SegmentName, file: FileIdentity) -> VerifiedSegment? {
        guard let known = newer[name] ?? older[name], known.file == file else { return nil }
        return known.segment
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
            guard let segment = segment(run.id, file: run.file), segment.end.sha256 == run.segment.sha256 else {
                forgotten.append(run.id)
                stopped.insert(run.id.writer)
                continue
            }
            guard !stopped.contains(run.id.writer) else { continue }
            items.append(ImportBatch.Item(name: run.id, segment: segment))
        }
        return (items, forgotten)
    }

    mutating func remove(_ names: [SegmentName]) {
        for name in names {
            newer[name] = nil
            older[name] = nil
        }
    }
}
