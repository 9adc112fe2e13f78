import TransactionLog
import TributaryChanges
import TributaryStore

/// Decides which baseline of another store this store verifies, by making its own one of that vector.
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
        let open = shelf.baselines.values.filter { baseline in
            baseline.name.writer != facts.own && baseline.modelHash == facts.modelHash && !shelf.isVerified(baseline)
                && !shelf.disputes.contains {
                    $0.first.vector == baseline.vector && $0.first.modelHash == baseline.modelHash
                }
                && !shelf.verified.contains { $0.modelHash == facts.modelHash && $0.covers(baseline) }
        }
        let sorted = open.map { ($0, $0.transactionCount) }.sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
        var rest = Decision.nothing
        for baseline in sorted {
            switch decide(baseline) {
            case .verify(let baseline, let name, let isOwnState):
                return .verify(baseline, as: name, isOwnState: isOwnState)
            case let other: if rest == .nothing { rest = other }
            }
        }
        return rest
    }

    /// Whether the state of the store is the one to compare, and proves something.
    private func isOwnState(_ baseline: KnownBaseline) -> Bool {
        facts.vector == baseline.vector && !facts.isContradicted
    }

    private func decide(_ baseline: KnownBaseline) -> Decision {
        guard !facts.owners.contains(baseline.name.writer) else {
            return .wait(
                baseline,
                "This store has made it, so that it would prove nothing: another store verifies it."
            )
        }
        guard facts.vector.covers(baseline.vector) else { return .behind(baseline) }
        let names = facts.owners.map { BaselineName(writer: $0, sequence: baseline.vector[$0]) }.filter {
            $0.sequence > 0
        }
        guard !names.isEmpty else {
            return .wait(baseline, "It has no transaction of this store, which would name the second baseline.")
        }
        guard let name = names.first(where: { !facts.shelf.isTaken($0) }) else {
            return .wait(
                baseline,
                "This store has other baselines at its transactions already; it verifies the next baseline that has a "
                    + "later transaction of it."
            )
        }
        return .verify(baseline, as: name, isOwnState: isOwnState(baseline))
    }
}
