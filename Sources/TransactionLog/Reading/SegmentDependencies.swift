import TributaryChanges

/// Collects the transactions of other writers that a segment's transactions wait for, as many as may be kept at a time.
struct SegmentDependencies {
    private(set) var list: [VerifiedSegment.Dependency] = []
    /// The last transaction whose dependencies are all in the list; nil when that is the segment's last.
    private(set) var completeThrough: UInt64?
    private let start: UInt64
    private var entryCount = 0

    /// Collects those of the transactions after `start`.
    init(after start: UInt64) {
        self.start = start
    }

    mutating func add(_ transaction: TransactionHeader) {
        guard transaction.sequence > start, !transaction.seen.isEmpty, completeThrough == nil else { return }
        let entries = entryCount + transaction.seen.count
        guard list.count < SegmentVerifier.dependencyLimit, entries <= SegmentVerifier.dependencyEntryLimit else {
            completeThrough = transaction.sequence - 1
            return
        }
        entryCount = entries
        list.append(.init(sequence: transaction.sequence, seen: transaction.seen))
    }
}
