/// What the log says of a transaction before its changes.
package struct TransactionHeader: Hashable, Sendable {
    /// Counts a writer's transactions: 1, 2, 3 … without holes.
    package var sequence: UInt64
    package var clock: HybridClock
    package var author: String?
    /// For each other writer the highest sequence its replica had applied without a hole at commit, where it changed
    /// since this writer's transaction before.
    package var seen: [UniqueID: UInt64]
    package var changeCount: Int

    package init(
        sequence: UInt64,
        clock: HybridClock,
        author: String? = nil,
        seen: [UniqueID: UInt64] = [:],
        changeCount: Int
    ) {
        self.sequence = sequence
        self.clock = clock
        self.author = author.map(LogLimits.cut)
        self.seen = seen
        self.changeCount = changeCount
    }
}
