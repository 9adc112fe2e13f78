package import TributaryChanges

/// The facts about a segment of which every byte has been verified.
package struct SegmentOutline: Hashable, Sendable {
    /// Of the end line.
    package var sha256: String
    /// The end line's hash of the writer's segment before, when the header has it.
    package var previous: String?
    package var transactions: Int
    package var changes: Int
    /// Clocks grow within a writer, so this is the greatest.
    package var lastClock: HybridClock
    /// Blobs it names that are not in place.
    package var missingBlobs: [String]
    /// The first transaction whose dependencies were unmet when the segment was verified.
    package var unmet: UnmetDependencies?

    package init(
        sha256: String,
        previous: String? = nil,
        transactions: Int,
        changes: Int,
        lastClock: HybridClock,
        missingBlobs: [String] = [],
        unmet: UnmetDependencies? = nil
    ) {
        self.sha256 = sha256
        self.previous = previous
        self.transactions = transactions
        self.changes = changes
        self.lastClock = lastClock
        self.missingBlobs = missingBlobs
        self.unmet = unmet
    }

    /// A transaction, and the transactions of other writers that must be applied before it.
    package struct UnmetDependencies: Hashable, Sendable {
        package var sequence: UInt64
        package var needs: [UniqueID: UInt64]

        package init(sequence: UInt64, needs: [UniqueID: UInt64]) {
            self.sequence = sequence
            self.needs = needs
        }
    }
}
