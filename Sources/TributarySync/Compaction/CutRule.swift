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
        if shelf.isTaken(name) { return .acknowledge }
        let isFree = facts.active.contains { writer in
            !shelf.isTaken(BaselineName(writer: writer.writer.id, sequence: writer.writer.sequence))
        }
        guard isFree else {
            return .wait(
                "Each of the other writers has a baseline at its present transaction already, so none could verify "
                    + "another one. It is cut once one of them has written or acknowledged something."
            )
        }
        return .cut(name)
    }

    /// The reason why no baseline can be cut; nil when one can.
    private var obstacle: String? {
        guard facts.vector[facts.own] > 0 else { return "This store has written nothing yet that names a baseline." }
        let count = facts.writers.count
        guard count <= LogLimits.baselineWriters else {
            return "A baseline may have \(LogLimits.baselineWriters) writers, and \(count) have written into the log "
                + "folder: all segments stay. Begin a new log folder for some of them."
        }
        guard !facts.active.isEmpty else {
            return "No other store acknowledges what it applies, so none could verify a baseline: "
                + "the segments of a single writer stay."
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

    /// Whether a baseline is worth its bytes; an own one that is disputed is settled first.
    ///
    /// Its cost is that of the whole state, so it must make room for half of that at least; then all baselines together
    /// cost no more than in proportion to what is written.
    func isWorthwhile(uncovered: UInt64) -> Bool {
        let shelf = facts.shelf
        let isDisputed = shelf.disputes.contains { $0.baseline(of: facts.own).map { !shelf.isVerified($0) } ?? false }
        guard uncovered > 0, !isDisputed else { return false }
        guard let last = facts.shelf.greatestVerified(modelHash: facts.modelHash) else { return true }
        return uncovered >= last.bytes / 2
    }
}
