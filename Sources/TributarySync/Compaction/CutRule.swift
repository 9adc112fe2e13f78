import TransactionLog
import TributaryChanges
import TributaryStore

/// Decides whether this store cuts a baseline at its own positions now.
struct CutRule {
    enum Decision: Hashable, Sendable {
        case cut(BaselineName)
        /// A transaction without changes first: the name at the own sequence is taken by a baseline of another vector.
        case acknowledge
        /// There is a baseline of these positions already.
        case done(KnownBaseline, isVerified: Bool)
        /// A baseline cannot be cut, or would be of no use, for a reason that is told as a sentence.
        case wait(String)
    }

    let facts: CompactionFacts

    /// The decision; O(w) for each baseline.
    var decision: Decision {
        if let reason = obstacle { return .wait(reason) }
        let vector = facts.vector
        let shelf = facts.shelf
        let equal = shelf.baselines.values.filter { $0.vector == vector && $0.modelHash == facts.modelHash }
        if let known = equal.min(by: { $0.name < $1.name }) {
            return .done(known, isVerified: shelf.isVerified(known))
        }
        let name = BaselineName(writer: facts.own, sequence: vector[facts.own])
        return shelf.isTaken(name) ? .acknowledge : .cut(name)
    }

    /// The reason why no baseline can be cut; nil when one can.
    private var obstacle: String? {
        guard facts.vector[facts.own] > 0 else { return "This store has written nothing yet that names a baseline." }
        guard !facts.hasUnexported else { return "This store has transactions that are not exported yet." }
        let count = facts.writers.count
        guard count <= LogLimits.baselineWriters else {
            return "A baseline may have \(LogLimits.baselineWriters) writers, and \(count) have written into the log "
                + "folder: all segments stay. Begin a new log folder for some of them."
        }
        return nil
    }

    /// Whether this store is the one that cuts baselines by itself: the writer with the least UUID of those that have
    /// written something lately, since a machine that is gone cuts none.
    var isOwnTurn: Bool {
        let silence = max(facts.keep, CutRule.leastSilence)
        return facts.active.filter { $0.writer.clock.wallTime.later(by: silence) >= facts.wall }.allSatisfy {
            facts.own < $0.writer.id
        }
    }

    /// The least time after whose silence nobody waits for a writer to cut a baseline.
    private static let leastSilence = Duration.seconds(86_400)

    /// Whether a baseline is worth its bytes; an own one gets a day to be endorsed first.
    ///
    /// Its cost is that of the whole state, so it must make room for half of that at least; then all baselines together
    /// cost no more than in proportion to what is written.
    func isWorthwhile(uncovered: UInt64) -> Bool {
        let shelf = facts.shelf
        let isOpen = shelf.baselines.values.contains { baseline in
            facts.owners.contains(baseline.name.writer) && !shelf.isVerified(baseline) && !facts.isOld(baseline)
        }
        guard uncovered > 0, !isOpen else { return false }
        guard let last = shelf.verified.first else { return true }
        return uncovered >= last.bytes / 2
    }
}
