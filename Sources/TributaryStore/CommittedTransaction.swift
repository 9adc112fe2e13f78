package import TributaryChanges

/// A transaction that is in the store.
package struct CommittedTransaction: Sendable {
    /// Counts the store's transactions, local and imported ones.
    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    package var changes: ObjectChanges
    /// Changes that were applied, and those of them that were parked.
    package var changeCount: Int
    package var parkedCount: Int

    package init(
        number: Int64,
        writer: UniqueID,
        sequence: UInt64,
        clock: HybridClock,
        changes: ObjectChanges,
        changeCount: Int,
        parkedCount: Int
    ) {
        self.number = number
        self.writer = writer
        self.sequence = sequence
        self.clock = clock
        self.changes = changes
        self.changeCount = changeCount
        self.parkedCount = parkedCount
    }
}
