import TransactionLog
import TributaryChanges

extension SyncState {
    /// Whether no other writer's transaction is applied: such a store begins with a baseline.
    var isNew: Bool { planner.positions.allSatisfy { $0.key == planner.own || $0.value.sequence == 0 } }

    /// Records what was found out about the files of the known baselines.
    mutating func learned(_ other: BaselineShelf, modelHash: String, wall: WallTime) {
        found(shelf.learning(from: other), modelHash: modelHash, wall: wall)
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
    /// transaction of its own writer is known, from its name. O(w) for each dispute and O(1) for each other baseline.
    var idleBaselineProblems: Set<SyncProblem.Code> {
        var found: Set<SyncProblem.Code> = []
        let keepsOut = shelf.disputes.contains { !shelf.isVerified($0.first) && planner.lacks($0.first.vector) }
        if !keepsOut { found.insert(.baselinesDiffer) }
        if !shelf.refused.keys.contains(where: { planner.lacks(VersionVector([$0.writer: $0.sequence])) }) {
            found.insert(.baselineRefused)
        }
        return found
    }

    /// Whether a baseline has waited for imports to be verified; it is looked at again now.
    mutating func drainBehindBaseline() -> Bool {
        defer { isBehindBaseline = false }
        return isBehindBaseline
    }

    /// Records that a baseline was joined, or why it was not; nil for joined.
    mutating func joined(_ name: BaselineName, refusal: PlannedBaselines.Refusal?) {
        if let refusal { planner.baselines.refuse(name, refusal) } else { problems.end(.importFailed) }
    }
}
