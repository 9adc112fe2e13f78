import TransactionLog
import TributaryChanges

extension SyncState {
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
