import TransactionLog
import TributaryChanges

/// The limits of the segments that are in memory before a batch is applied: about as much as a batch may have.
///
/// Reading continues to the end of a slice, since less than a slice cannot be committed, but never far beyond the
/// limits.
struct ReadBudget {
    /// The bytes of the events of a batch, and of the excess until the slice ends.
    private static let batchBytes = 4 << 20

    /// The remaining events and changes.
    private var changes: Int
    /// The events and changes that may be read beyond the limit.
    private let spareChanges: Int
    /// The remaining bytes of events.
    private var bytes = ReadBudget.batchBytes
    /// Whether the last batch leaves its slice unfinished.
    private var isInsideSlice = false

    init(changes: Int) {
        self.changes = changes
        spareChanges = max(1_000, changes.multipliedSaturating(by: 2))
    }

    var isSpent: Bool {
        guard changes <= 0 || bytes <= 0 else { return false }
        return !isInsideSlice || changes <= -spareChanges || bytes <= -ReadBudget.batchBytes
    }

    mutating func spend(on batch: SegmentBatch) {
        changes -= batch.events.count + batch.changeCount
        bytes -= batch.byteCount
        isInsideSlice = !batch.endsSlice
    }
}
