import TransactionLog
import TributaryChanges

/// A segment that is not applied yet, with the known facts about it.
struct PlannedSegment: Sendable {
    /// It is indirect because it is in a table with room for more.
    indirect enum Knowledge: Sendable {
        /// The segment must be read.
        case unknown
        case valid(SegmentOutline)
        /// The segment has no valid end line since the given wall time.
        case incomplete(reason: String, line: Int?, since: WallTime)
        /// The system refused to read the segment; it is tried again at the given wall time.
        case unreadable(reason: String, retry: WallTime)
        case bad(SegmentState, reason: String, line: Int?)
    }

    /// The state that was announced last, with the time at which the segment reached it.
    struct Announced: Sendable {
        var state: SegmentState
        var since: WallTime
    }

    let id: SegmentName
    var file: FileIdentity
    var knowledge = Knowledge.unknown
    let found: WallTime
    var announced: Announced?

    /// Sets another file; the facts about the former one are dropped.
    mutating func update(_ file: FileIdentity) {
        self.file = file
        knowledge = .unknown
    }

    /// The wall time since which the segment has had the last announced state, or has been in the folder.
    var since: WallTime { announced?.since ?? found }

    var valid: SegmentOutline? {
        guard case .valid(let segment) = knowledge else { return nil }
        return segment
    }

    var isUnknown: Bool {
        guard case .unknown = knowledge else { return false }
        return true
    }

    /// Whether it contradicts what is applied.
    var isForked: Bool {
        guard case .bad(.forked, _, _) = knowledge else { return false }
        return true
    }

    /// Whether the segment must be read before the planner decides anything about it.
    func isUnread(wall: WallTime) -> Bool {
        if case .unreadable(_, let retry) = knowledge { return retry <= wall }
        return isUnknown
    }

    /// The number of changes in the segment; estimated from its size until it has been read.
    var weight: Int {
        valid.map { $0.changes.addingSaturating($0.transactions) }
            ?? Int(clamping: file.size / PlannedSegment.guessedChangeSize) + 1
    }

    /// The estimated bytes of a change with a few values.
    private static let guessedChangeSize: Int64 = 128
}
