import TransactionLog
import TributaryChanges
import TributaryStore

/// Decides which baseline this store compares with a state of its own.
///
/// A store compares the baselines of others: with its own state, if that is at their vector and has another origin, and else
/// with what the log folder gives. With that it compares its own ones too, where there is no other store, where another one
/// objects, and where nobody has compared it for a day.
struct ComparisonRule {
    enum Decision: Hashable, Sendable {
        /// The state is the store's own one, or built from the log folder.
        case compare(KnownBaseline, fromLog: Bool)
        /// The baseline has transactions that this store has not applied yet.
        case behind(KnownBaseline)
        case wait(KnownBaseline, String)
        case nothing
    }

    var facts: CompactionFacts
    /// The baselines for which no state could be built.
    var obstructed: Set<BaselineName> = []

    /// The decision about the greatest baseline that this store has not compared, and that is not in a verified one; O(w) for
    /// each baseline.
    ///
    /// A second endorsement, in the folder of another writer, costs little while the store's own state is the one to compare.
    var decision: Decision {
        let shelf = facts.shelf
        let open = shelf.baselines.values.filter { baseline in
            guard shelf.comparison(of: baseline, by: facts.owners) == nil, !obstructed.contains(baseline.name) else {
                return false
            }
            let isSecond = isOwnState(baseline)
            return !shelf.verified.contains { isSecond ? $0.dominates(baseline) : $0.covers(baseline) }
        }
        let sorted = open.map { ($0, $0.transactionCount) }.sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
        var rest = Decision.nothing
        for baseline in sorted {
            let decision = decide(baseline)
            switch (decision, rest) {
            case (.compare, _): return decision
            case (.behind, .wait), (_, .nothing): rest = decision
            default: break
            }
        }
        return rest
    }

    /// Whether the state of the store is the one to compare, and proves something.
    private func isOwnState(_ baseline: KnownBaseline) -> Bool {
        facts.vector == baseline.vector && !facts.isContradicted && !facts.sharesOrigin(baseline.name.writer)
    }

    /// Whether the state of the store that has made a baseline is all that there is: no other store is there, and for a day
    /// the log folder has not had what is needed to build another state.
    func isLastResort(_ baseline: KnownBaseline) -> Bool {
        facts.active.isEmpty && facts.vector == baseline.vector && !facts.isContradicted && facts.isOld(baseline)
    }

    private func decide(_ baseline: KnownBaseline) -> Decision {
        guard baseline.modelHash == facts.modelHash else {
            let reason = "It was made under another version of the model: a store of that version compares it."
            return .wait(baseline, reason)
        }
        guard facts.vector.covers(baseline.vector) else { return .behind(baseline) }
        guard facts.owners.contains(baseline.name.writer) else {
            return .compare(baseline, fromLog: !isOwnState(baseline))
        }
        guard facts.active.isEmpty || facts.shelf.objection(to: baseline) != nil || facts.isOld(baseline) else {
            return .wait(baseline, "Another store compares it; this one, which has made it, does so after a day.")
        }
        return .compare(baseline, fromLog: true)
    }
}
