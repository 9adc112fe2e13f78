import TributaryChanges

/// Collects the transactions of other writers on which a segment's transactions depend, up to a limit.
struct SegmentDependencies {
    private(set) var list: [VerifiedSegment.Dependency] = []
    private var isFull = false
    private let start: UInt64
    private var entryCount = 0

    /// Creates an empty list for the transactions after `start`.
    init(after start: UInt64) {
        self.start = start
    }

    mutating func add(_ transaction: TransactionHeader) {
        guard transaction.sequence > start, !transaction.seen.isEmpty, !isFull else { return }
        let entries = entryCount + transaction.seen.count
        guard list.count < SegmentVerifier.dependencyLimit, entries <= SegmentVerifier.dependencyEntryLimit else {
            isFull = true
            return
        }
        entryCount = entries
        list.append(.init(sequence: transaction.sequence, seen: transaction.seen))
    }
}
