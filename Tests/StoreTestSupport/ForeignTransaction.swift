package import TributaryChanges

/// A transaction of another writer, as a segment contains it.
package struct ForeignTransaction: Hashable, CustomStringConvertible {
    package var writer: UniqueID
    package var header: TransactionHeader
    package var changes: [Change]

    /// Creates a transaction; `clock` counts steps of a coarse grid that all writers share, so that clocks tie.
    package init(_ writer: Int, _ sequence: UInt64, clock: UInt64, seen: [UniqueID: UInt64] = [:], _ changes: Change...)
    {
        self.init(writer, sequence, clock: clock, seen: seen, changes)
    }

    package init(_ writer: Int, _ sequence: UInt64, clock: UInt64, seen: [UniqueID: UInt64] = [:], _ changes: [Change])
    {
        self.writer = .sample(0xF000 + writer)
        header = TransactionHeader(
            sequence: sequence,
            clock: HybridClock(milliseconds: 1_600_000_000_000 + clock * 1000),
            seen: seen,
            changeCount: changes.count
        )
        self.changes = changes
    }

    package var description: String { "\(writer) \(header.sequence) @\(header.clock): \(changes)" }
}
