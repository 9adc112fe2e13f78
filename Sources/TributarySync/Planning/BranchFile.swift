import TransactionLog
import TributaryChanges

/// A file whose segment does not follow the first line of its writer's log, as far as is known.
struct BranchFile: Sendable {
    enum Knowledge: Sendable {
        /// The file must be read.
        case unknown
        /// The segment is valid; its place must be looked up.
        case valid(SegmentOutline)
        case placed(SegmentOutline, BranchPlace)
        /// The segment has no valid end line since the given wall time.
        case incomplete(reason: String, line: Int?, since: WallTime)
        /// The system refused to read the file; it is tried again at the given wall time.
        case unreadable(reason: String, retry: WallTime)
        case bad(SegmentState, reason: String, line: Int?)
    }

    let file: SegmentFile
    /// The file that was found or read last; nil when only its name is known.
    var identity: FileIdentity?
    var knowledge: Knowledge
    let found: WallTime
    var announced: PlannedSegment.Announced?
    /// The transaction whose unmet dependencies have stopped the last import.
    var unmet: SegmentOutline.UnmetDependencies?
    /// Whether an incomplete file may have grown since it was read.
    var mayHaveGrown = false

    var outline: SegmentOutline? {
        switch knowledge {
        case .valid(let outline), .placed(let outline, _): outline
        case .unknown, .incomplete, .unreadable, .bad: nil
        }
    }

    var place: BranchPlace? {
        guard case .placed(_, let place) = knowledge else { return nil }
        return place
    }

    /// Whether the file must be read or its place be looked up.
    func isOpen(wall: WallTime) -> Bool {
        switch knowledge {
        case .unknown, .valid: true
        case .unreadable(_, let retry): retry <= wall
        case .incomplete: mayHaveGrown
        case .placed, .bad: false
        }
    }

    /// The wall time since which the segment has had the last announced state, or has been in the folder.
    var since: WallTime { announced?.since ?? found }
}
