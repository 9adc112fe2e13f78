package import TributaryChanges

package struct WriterRecord: Sendable, Hashable {
    package var id: UniqueID
    package var name: String?
    /// The last sequence that was applied without a gap.
    package var sequence: UInt64
    package var clock: HybridClock
    package var lastSegmentHash: String?
    /// What the writer's store has acknowledged, without what follows from it (``VersionVector/implied(by:)``).
    package var seen: VersionVector
    package var isSelf: Bool
    /// The decision of an administrator or the store about the writer; nil for none.
    package var state: WriterState?
    package var incarnation: Incarnation

    package init(
        id: UniqueID,
        name: String?,
        sequence: UInt64,
        clock: HybridClock,
        lastSegmentHash: String?,
        seen: VersionVector,
        isSelf: Bool,
        state: WriterState? = nil,
        incarnation: Incarnation = Incarnation()
    ) {
        self.id = id
        self.name = name
        self.sequence = sequence
        self.clock = clock
        self.lastSegmentHash = lastSegmentHash
        self.seen = seen
        self.isSelf = isSelf
        self.state = state
        self.incarnation = incarnation
    }

    /// Whether the writer's store acknowledges what it applies, which a producer never does.
    package var acknowledges: Bool { !seen.isEmpty || incarnation.after != nil }

    /// The label of the writer's store; a producer that names none is a store of its own.
    package var store: UniqueID { incarnation.store ?? id }
}
