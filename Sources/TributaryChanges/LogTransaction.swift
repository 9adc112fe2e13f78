/// A transaction of the log with all of its changes in memory.
package struct LogTransaction: Hashable, Sendable {
    package var header: TransactionHeader
    package var changes: [Change]

    package init(header: TransactionHeader, changes: [Change]) {
        self.header = header
        self.changes = changes
    }
}

/// The transaction line of the log, which precedes the changes.
package struct TransactionHeader: Hashable, Sendable {
    /// Counts the transactions of the writer: 1, 2, 3 … without gaps.
    package var sequence: UInt64
    package var clock: HybridClock
    package var author: String?
    /// For each other writer, the sequence up to which the replica had applied its transactions at commit.
    ///
    /// Only entries that changed since this writer's previous transaction.
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
