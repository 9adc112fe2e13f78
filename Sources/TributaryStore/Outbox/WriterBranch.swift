package import TributaryChanges

/// A branch of a forked writer: other content for sequences that the store has applied already.
///
/// Which of a writer's branches is its first line depends on the order of arrival; nothing that stores compare does.
package struct WriterBranch: Sendable, Hashable {
    package var row: Int64
    /// The hash of the segment with which it begins, which names it.
    package var firstHash: String
    /// The last sequence before it.
    package var start: UInt64
    package var sequence: UInt64
    package var clock: HybridClock
    /// The hash of the last segment that is applied as a whole; nil while there is none.
    package var lastHash: String?

    /// Creates a branch of which nothing is applied, to begin it.
    package init(firstHash: String, start: UInt64) {
        self.init(row: 0, firstHash: firstHash, start: start, sequence: start, clock: .zero, lastHash: nil)
    }

    init(row: Int64, firstHash: String, start: UInt64, sequence: UInt64, clock: HybridClock, lastHash: String?) {
        (self.row, self.firstHash, self.start) = (row, firstHash, start)
        (self.sequence, self.clock, self.lastHash) = (sequence, clock, lastHash)
    }
}
