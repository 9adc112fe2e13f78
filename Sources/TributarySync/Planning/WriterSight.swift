import TransactionLog
import TributaryChanges

/// The facts that determine the states of a writer's segments, computed once for all of them.
struct WriterSight {
    /// The next sequence.
    let next: UInt64
    /// The reason why its segment cannot be applied.
    let block: ImportPlanner.Block?
    let limits: ImportPlanner.Limits
    let accepted: [SegmentName: String]
    let wall: WallTime

    /// The reason why a valid segment cannot be applied; nil when it only waits for its turn.
    func block(of entry: PlannedSegment) -> ImportPlanner.Block? {
        guard let segment = entry.valid else { return nil }
        if let block, entry.id.bounds.holds(next) { return block }
        guard accepted[entry.id] != segment.sha256 else { return nil }
        return limits.heldUntil(segment.lastClock, wall: wall).map { .held(until: $0) }
    }

    func state(of entry: PlannedSegment) -> SegmentState {
        switch entry.knowledge {
        case .unknown: return .waiting
        case .incomplete(_, _, let since): return limits.isLate(since: since, wall: wall) ? .damaged : .incomplete
        case .unreadable: return .rejected
        case .bad(let state, _, _): return state
        case .valid:
            switch block(of: entry) {
            case .held: return .held
            case .blobs, .dependencies, .predecessor, .gap, .unusable, nil: return .waiting
            }
        }
    }
}
