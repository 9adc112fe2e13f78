import TransactionLog
import TributaryChanges

/// A batch under construction: the segments to read and to apply, assuming that all of them succeed.
struct BatchPlan {
    let limits: ImportPlanner.Limits
    private(set) var positions: SupposedPositions
    private(set) var toRead: [WriterListing.Pending] = []
    private(set) var runs: [ImportPlanner.Run] = []
    var deadline: WallTime?
    private(set) var changes = 0
    private(set) var bytes: Int64 = 0

    var isFull: Bool {
        changes >= limits.batchChanges || bytes >= limits.batchBytes
            || toRead.count + runs.count >= limits.batchSegments
    }

    /// Adds segments to read; with a single segment, assumes that it will be valid and returns true.
    mutating func read(_ entries: [PlannedSegment]) -> Bool {
        for entry in entries {
            toRead.append(WriterListing.Pending(id: entry.id, file: entry.file))
            count(entry)
        }
        guard entries.count == 1, let only = entries.first else { return false }
        positions[only.id.writer] = WriterPosition(sequence: only.id.last)
        return true
    }

    /// Adds a segment; false when the segment is not applied to its end.
    mutating func apply(_ entry: PlannedSegment, through: UInt64) -> Bool {
        guard let segment = entry.valid else { return false }
        runs.append(ImportPlanner.Run(id: entry.id, file: entry.file, segment: segment))
        count(entry)
        positions[entry.id.writer] = WriterPosition(sequence: through)
        return through == entry.id.last
    }

    private mutating func count(_ entry: PlannedSegment) {
        changes = changes.addingSaturating(entry.weight)
        bytes = bytes.addingSaturating(entry.file.size)
    }
}
