package import TransactionLog

/// What there is to say about one segment.
package struct SegmentStatus: Hashable, Sendable {
    package var id: SegmentName
    package var state: SegmentState
    /// Why it is in this state, for people; empty when it is simply applied.
    package var reason: String
    /// The path below the log folder; for a replicator's copy the copy's own.
    package var file: String
    /// The line at fault, counted from 1.
    package var line: Int?
    package var waitingFor: [Awaited]
    /// Values that were parked while it was applied.
    package var parked: Int
    /// Unix milliseconds since when it has been so.
    package var since: UInt64?
    /// What helps, as a command where there is one.
    package var hint: String?

    package init(
        id: SegmentName,
        state: SegmentState,
        reason: String = "",
        file: String? = nil,
        line: Int? = nil,
        waitingFor: [Awaited] = [],
        parked: Int = 0,
        since: UInt64? = nil,
        hint: String? = nil
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.file = file ?? id.path
        self.line = line
        self.waitingFor = waitingFor
        self.parked = parked
        self.since = since
        self.hint = hint
    }
}
