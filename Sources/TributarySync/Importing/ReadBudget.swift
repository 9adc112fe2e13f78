import TransactionLog
import TributaryChanges

/// How much of a batch's segments is in memory before it is applied: about one slice.
///
/// Reading goes on to the end of a slice, since less than a slice cannot be committed, but never far beyond the limits.
struct ReadBudget {
    /// Bytes of lines of a slice, and of what may come on top of that before the slice ends.
    private static let sliceBytes = 4 << 20

    /// Events and changes that are left.
    private var changes: Int
    /// Events and changes that may be read beyond them.
    private let spareChanges: Int
    /// Bytes of lines that are left.
    private var bytes = ReadBudget.sliceBytes
    /// Whether the batch that was read last leaves its slice unfinished.
    private var isInsideSlice = false

    init(changes: Int) {
        self.changes = changes
        spareChanges = max(1_000, changes.multipliedSaturating(by: 2))
    }

    var isSpent: Bool {
        guard changes <= 0 || bytes <= 0 else { return false }
        return !isInsideSlice || changes <= -spareChanges || bytes <= -ReadBudget.sliceBytes
    }

    mutating func spend(on batch: SegmentBatch) {
        changes -= batch.events.count + batch.changeCount
        bytes -= batch.byteCount
        isInsideSlice = !batch.endsSlice
    }
}
