import TransactionLog
import TributaryChanges
import TributaryStore

/// Decides which files of the own writer, or of one that the store was before, go, and what each of the others waits
/// for.
///
/// A segment goes when a verified baseline covers it, every active store has acknowledged it, and it is old enough. A
/// baseline goes when another one, which is verified, has all that it has and more; a comparison goes as its baseline does.
struct RemovalRule {
    /// Something that a segment waits for before it is removed.
    enum Wait: Hashable, Sendable {
        /// No verified baseline has it; the owner's last transaction that one has.
        case baseline(through: UInt64)
        /// An active writer that has not acknowledged it, with the owner's last transaction that it has.
        case acknowledgement(UniqueID, through: UInt64)
        /// The end of `retention.keep_segments`.
        case age(until: WallTime)
    }

    struct Kept: Hashable, Sendable {
        var segment: CompactionFacts.OwnSegment
        var waits: [Wait]
    }

    struct Decision: Hashable, Sendable {
        var removed: [CompactionFacts.OwnSegment] = []
        var kept: [Kept] = []
        var baselines: [BaselineName] = []
        var comparisons: [BaselineComparison.Name] = []
        /// The baselines for which files are removed; they must be whole.
        var covers: [KnownBaseline] = []

        /// Whether nothing is removed.
        var isEmpty: Bool { removed.isEmpty && baselines.isEmpty && comparisons.isEmpty }

        var fileNames: [String] {
            removed.map(\.name.fileName) + baselines.map(\.fileName) + comparisons.map(\.fileName)
        }
    }

    let facts: CompactionFacts

    /// The decision; O(n) for the segments when all is acknowledged, and O(w) for each that waits.
    var decision: Decision {
        var decision = Decision()
        let owner = facts.owner
        let usable = facts.shelf.verified
        let cover = usable.max { $0.vector[owner] < $1.vector[owner] }
        let covered = cover?.vector[owner] ?? 0
        let active = facts.active.map { ($0.writer.id, $0.seen[owner]) }
        for segment in facts.segments {
            var waits: [Wait] = []
            let last = segment.name.last
            if last > covered { waits.append(.baseline(through: covered)) }
            for (writer, seen) in active where seen < last && !isBelieved(last) {
                waits.append(.acknowledgement(writer, through: seen))
            }
            let due = segment.since.later(by: facts.keep)
            if due > facts.wall { waits.append(.age(until: due)) }
            if waits.isEmpty {
                decision.removed.append(segment)
            } else {
                decision.kept.append(Kept(segment: segment, waits: waits))
            }
        }
        if let cover, !decision.removed.isEmpty { decision.covers.append(cover) }
        for baseline in facts.shelf.baselines.values where baseline.name.writer == owner {
            guard let greater = usable.first(where: { $0.dominates(baseline) }) else { continue }
            decision.baselines.append(baseline.name)
            if !decision.covers.contains(greater) { decision.covers.append(greater) }
        }
        decision.baselines.sort()
        for name in facts.shelf.comparisons.keys where name.writer == owner {
            let baseline = facts.shelf.baselines[name.baseline]
            // A file may be out of sight for a moment. What its maker has written after it has seen all that it has.
            let greater = usable.first { other in
                baseline.map(other.dominates) ?? (other.vector[name.baseline.writer] > name.baseline.sequence)
            }
            guard let greater else { continue }
            decision.comparisons.append(name)
            if !decision.covers.contains(greater) { decision.covers.append(greater) }
        }
        decision.comparisons.sort()
        return decision
    }

    /// Whether an evicted writer's acknowledgement counts for all writers, which is a deliberate fault.
    private func isBelieved(_ last: UInt64) -> Bool {
        #if MUTATIONS
            guard Mutation.isOn(.evictedAcknowledgementBelieved) else { return false }
            return facts.writers.contains { $0.state == .evicted && $0.seen[facts.own] >= last }
        #else
            return false
        #endif
    }
}
