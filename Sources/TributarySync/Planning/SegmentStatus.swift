package import TransactionLog

/// The status of one segment.
package struct SegmentStatus: Hashable, Sendable {
    package var id: SegmentName
    package var state: SegmentState
    /// Why it is in this state, for people; empty when it is simply applied.
    package var reason: String
    /// The path below the log folder; for a replicator's copy the copy's own.
    package var file: String
    /// The line at fault, counted from 1.
    package var line: Int?
    package var waitingFor: [UnmetDependency]
    /// Values in it that the model cannot represent.
    package var deferred = 0
    /// Objects that it updates and that nobody has inserted.
    package var unknownObjects = 0
    /// The first of what is deferred.
    package var deferredValues: [DeferredValue] = []
    /// Unix milliseconds since when it has been so.
    package var since: UInt64?
    /// The remedy, as a command where there is one.
    package var hint: String?

    package init(
        id: SegmentName,
        state: SegmentState,
        reason: String = "",
        file: String? = nil,
        line: Int? = nil,
        waitingFor: [UnmetDependency] = [],
        since: UInt64? = nil,
        hint: String? = nil
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.file = file ?? id.path
        self.line = line
        self.waitingFor = waitingFor
        self.since = since
        self.hint = hint
    }
}
