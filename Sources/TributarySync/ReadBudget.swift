import TransactionLog

/// How much of a batch's segments is read before the write lock is taken.
struct ReadBudget {
    /// Events and changes that are left.
    private var changes: Int
    /// Bytes of lines that are left: a slice of a segment, however long its lines are, and some more.
    private var bytes = 5 << 20

    init(changes: Int) {
        self.changes = changes
    }

    var isSpent: Bool { changes <= 0 || bytes <= 0 }

    mutating func spend(on batch: SegmentBatch) {
        changes -= batch.events.count + batch.changeCount
        bytes -= batch.byteCount
    }
}
