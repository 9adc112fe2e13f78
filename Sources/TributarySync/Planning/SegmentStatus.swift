package import TransactionLog
package import TributaryChanges

package struct SegmentStatus: Hashable, Sendable {
    package var id: SegmentName
    package var state: SegmentState
    /// The reason for the state, in words; empty when the segment is simply applied.
    package var reason: String
    /// The path below the log folder; a replicator's copy has its own path.
    package var file: String
    /// The line at fault, counted from 1.
    package var line: Int?
    package var waitingFor: [UnmetDependency]
    /// The number of values that the model cannot represent.
    package var deferred = 0
    /// The number of objects that the segment updates and that were never inserted.
    package var unknownObjects = 0
    package var deferredValues: [DeferredValue] = []
    /// The wall time since which the segment has had this state.
    package var since: WallTime?
    /// The remedy, as a command where there is one.
    package var hint: String?

    package init(
        id: SegmentName,
        state: SegmentState,
        reason: String = "",
        file: String? = nil,
        line: Int? = nil,
        waitingFor: [UnmetDependency] = [],
        since: WallTime? = nil,
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

    /// Tells files of one name apart: a replicator's copy; empty for the segment itself.
    package var variant: String { file == id.path ? "" : file }

    /// The order of a list: by name, and of one name by variant.
    package static func precedes(_ left: SegmentStatus, _ right: SegmentStatus) -> Bool {
        left.id == right.id ? left.variant.precedesByBytes(right.variant) : left.id < right.id
    }
}
