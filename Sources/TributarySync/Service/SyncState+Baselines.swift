import TransactionLog
import TributaryChanges

extension SyncState {
    /// Records that a baseline cannot be used.
    mutating func refused(_ name: BaselineName, _ refusal: BaselineShelf.Refusal, wall: WallTime) {
        found(shelf.refusing(name, refusal), wall: wall)
    }

    /// The problems of baselines that do not count, or that wait to be joined.
    ///
    /// A file that lacks its end is one only when it has stayed so.
    func baselineProblems(wall: WallTime) -> [SyncProblem] {
        let limits = planner.limits
        let late = shelf.refused.filter { !$0.value.isIncomplete || limits.isLate(since: $0.value.since, wall: wall) }
        let first = late.min { $0.key < $1.key }
        let refused = first.map { SyncProblem.baselineRefused($0.key, $0.value, count: late.count) }
        let waiting = planner.baselines.waiting.map(SyncProblem.baselineWaits)
        return [refused, waiting].compactMap(\.self)
    }

    /// The problems of baselines that keep no transaction from being imported here.
    ///
    /// A baseline that does not count keeps those out that no other file has. Of one that cannot be read, only the last
    /// transaction of its own writer is known, from its name. O(w) for each objection and O(1) for each other baseline.
    var idleBaselineProblems: Set<SyncProblem.Code> {
        var found: Set<SyncProblem.Code> = []
        let keepsOut = shelf.objections.contains { !shelf.isVerified($0.baseline) && planner.lacks($0.baseline.vector) }
        if !keepsOut { found.insert(.baselinesDiffer) }
        if !shelf.refused.keys.contains(where: { planner.lacks(VersionVector([$0.writer: $0.sequence])) }) {
            found.insert(.baselineRefused)
        }
        return found
    }

    /// Records that a baseline was joined, or why it was not; nil for joined.
    mutating func joined(_ baseline: KnownBaseline, refusal: PlannedBaselines.Refusal?) {
        if let refusal { planner.baselines.refuse(baseline, refusal) } else { problems.end(.importFailed) }
    }
}
