import TransactionLog
import TributaryChanges

extension ImportPlanner {
    /// The problems of segments: one for each state that is a problem, and one for all gaps.
    ///
    /// It creates a text only for the first segment of each state.
    func problems(_ summaries: [SegmentState: Summary], wall: WallTime) -> [SyncProblem] {
        let codes: [(SegmentState, SyncProblem.Code)] = [
            (.damaged, .segmentsDamaged), (.forked, .segmentsForked), (.held, .segmentsHeld),
            (.rejected, .segmentsRejected),
        ]
        let found = codes.compactMap { state, code -> SyncProblem? in
            guard let summary = summaries[state], let id = summary.first,
                let first = status(of: id, in: state, wall: wall)
            else { return nil }
            return ImportPlanner.problem(code, first, count: summary.count, since: summary.since ?? wall)
        }
        // A segment that waits for its turn is no problem, however long the queue is.
        return found + [gapProblem(wall: wall)].compactMap(\.self)
    }

    /// The problem of writers that have waited for longer than the grace.
    private func gapProblem(wall: WallTime) -> SyncProblem? {
        let late = gaps(wall: wall).filter { wall >= $0.due(grace: limits.incompleteGrace) }
        guard let gap = late.first, let first = status(ofGapOf: gap.id.writer, wall: wall) else { return nil }
        let since = late.map(\.since).min() ?? wall
        return ImportPlanner.problem(.segmentsWaiting, first, count: late.count, since: since)
    }

    private static func problem(
        _ code: SyncProblem.Code,
        _ first: SegmentStatus,
        count: Int,
        since: WallTime
    ) -> SyncProblem {
        let more = count > 1 ? " and \(count - 1) more" : ""
        return SyncProblem(
            code,
            since: since,
            detail: "\(first.file)\(more): \(first.state.rawValue). \(first.reason)",
            writer: first.id.writer,
            hint: hint(for: first)
        )
    }

    /// The segment's own hint; without a command in it, the command that explains the segment.
    private static func hint(for status: SegmentStatus) -> String {
        let hint = status.hint ?? ""
        guard !hint.contains("tributaryctl") else { return hint }
        return (hint.isEmpty ? "" : hint + " ") + "To see more: tributaryctl segment explain \(status.id.path)"
    }
}
