import TransactionLog
import TributaryChanges
import TributaryStore

/// Decides which baseline of another writer this store verifies, by making its own one of that vector.
struct VerificationRule {
    enum Decision: Hashable, Sendable {
        /// The own baseline of the vector gets this name; the own state is at the vector, or a store must be built.
        case verify(KnownBaseline, as: BaselineName, isOwnState: Bool)
        /// The baseline has transactions that this store has not applied yet.
        case behind(KnownBaseline)
        case wait(KnownBaseline, String)
        case nothing
    }

    let facts: CompactionFacts

    /// The decision about the greatest baseline that nobody has verified; O(w) for each baseline.
    var decision: Decision {
        let shelf = facts.shelf
        let positions = facts.positions
        let open = shelf.baselines.values.filter { baseline in
            baseline.name.writer != facts.own && baseline.modelHash == facts.modelHash && !shelf.isVerified(baseline)
                && !shelf.disputes.contains {
                    $0.first.positions == baseline.positions && $0.first.modelHash == baseline.modelHash
                }
                && !shelf.verified.contains { $0.modelHash == facts.modelHash && $0.covers(baseline) }
        }
        let sorted = open.map { ($0, $0.transactionCount) }.sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
        var rest = Decision.nothing
        for baseline in sorted {
            switch decide(baseline, positions) {
            case .verify(let baseline, let name, let isOwnState):
                return .verify(baseline, as: name, isOwnState: isOwnState)
            case let other: if rest == .nothing { rest = other }
            }
        }
        return rest
    }

    /// Whether the state of the store is the one to compare, and proves something.
    private func isOwnState(_ baseline: KnownBaseline) -> Bool {
        facts.positions == baseline.positions && facts.unsealed.isEmpty && !facts.buildsFromLog
    }

    private func decide(_ baseline: KnownBaseline, _ positions: BaselinePositions) -> Decision {
        if let reason = facts.forkReason { return .wait(baseline, reason) }
        guard !facts.formers.all.contains(baseline.name.writer) else {
            return .wait(
                baseline,
                "This store is a copy of the one that made it, so it would prove nothing. Another writer verifies it, or "
                    + "its maker verifies this store's baseline: tributaryctl compact"
            )
        }
        if let writer = facts.unnamed {
            let name = facts.label(writer)
            return .wait(baseline, "This store does not know all segments of the branches of writer \(name).")
        }
        guard positions.covers(baseline.positions) else { return .behind(baseline) }
        let sequence = baseline.vector[facts.own]
        guard sequence > 0 else {
            return .wait(baseline, "It has no transaction of this store, which would name the second baseline.")
        }
        let name = BaselineName(writer: facts.own, sequence: sequence)
        guard !facts.shelf.isTaken(name) else {
            return .wait(
                baseline,
                "This store has another baseline at its transaction \(sequence) already; it verifies the next baseline "
                    + "that has a later transaction of it."
            )
        }
        return .verify(baseline, as: name, isOwnState: isOwnState(baseline))
    }
}
