package import TributaryChanges

package struct WriterRecord: Sendable, Hashable {
    package var id: UniqueID
    package var name: String?
    /// The last sequence that was applied without a gap.
    package var sequence: UInt64
    package var clock: HybridClock
    package var lastSegmentHash: String?
    /// The vector of transactions that this writer has seen of others, accumulated over all of its branches.
    package var seen: VersionVector
    package var isSelf: Bool
    /// The decision of an administrator or the store about the writer; nil for none.
    package var state: WriterState?
    /// The other branches of a forked writer; `sequence` and `lastSegmentHash` are those of its first line.
    package var branches: [WriterBranch]

    package init(
        id: UniqueID,
        name: String?,
        sequence: UInt64,
        clock: HybridClock,
        lastSegmentHash: String?,
        seen: VersionVector,
        isSelf: Bool,
        state: WriterState? = nil,
        branches: [WriterBranch] = []
    ) {
        self.id = id
        self.name = name
        self.sequence = sequence
        self.clock = clock
        self.lastSegmentHash = lastSegmentHash
        self.seen = seen
        self.isSelf = isSelf
        self.state = state
        self.branches = branches
    }

    /// The last sequence that some branch of the writer has reached.
    package var reach: UInt64 { branches.map(\.sequence).reduce(sequence, max) }

    package var greatestClock: HybridClock { branches.map(\.clock).reduce(clock, max) }
}
