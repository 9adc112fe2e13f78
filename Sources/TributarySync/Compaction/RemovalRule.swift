import TransactionLog
import TributaryChanges
import TributaryStore

/// Decides which own files go, and what each of the others waits for.
///
/// An own segment goes when a verified baseline covers it, every active writer has acknowledged it, it is old enough, and
/// it is no part of a fork. An own baseline goes when another one, which is verified, has all that it has and more.
struct RemovalRule {
    /// Something that a segment waits for before it is removed.
    enum Wait: Hashable, Sendable {
        /// No verified baseline has it; the last own transaction that one has.
        case baseline(through: UInt64)
        /// An active writer that has not acknowledged it, with the last own transaction that it has.
        case acknowledgement(UniqueID, through: UInt64)
        /// The end of `retention.keep_segments`.
        case age(until: WallTime)
        /// There is other content under its name or after it.
        case fork(from: UInt64)
    }

    struct Decision: Hashable, Sendable {
        var removed: [CompactionFacts.OwnSegment] = []
        var kept: [(segment: CompactionFacts.OwnSegment, waits: [Wait])] = []
        var baselines: [BaselineName] = []
        /// The baseline for which segments are removed; it must be whole.
        var cover: KnownBaseline?

        static func == (left: Decision, right: Decision) -> Bool {
            left.removed == right.removed && left.baselines == right.baselines && left.cover == right.cover
                && left.kept.map(\.segment) == right.kept.map(\.segment)
                && left.kept.map(\.waits) == right.kept.map(\.waits)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(removed)
            hasher.combine(baselines)
        }
    }

    let facts: CompactionFacts

    /// The decision; O(n) for the segments when all is acknowledged, and O(w) for each that waits.
    var decision: Decision {
        var decision = Decision()
        let own = facts.own
        // A store of this model could not begin with a baseline of another one.
        let usable = facts.shelf.verified.filter { $0.modelHash == facts.modelHash }
        let cover = usable.max { $0.vector[own] < $1.vector[own] }
        let covered = cover?.vector[own] ?? 0
        let active = facts.active.map { ($0.id, $0.seen[own]) }
        for segment in facts.segments {
            var waits: [Wait] = []
            let last = segment.name.last
            if last > covered { waits.append(.baseline(through: covered)) }
            for (writer, seen) in active where seen < last { waits.append(.acknowledgement(writer, through: seen)) }
            let due = segment.since.later(by: facts.keep)
            if due > facts.wall { waits.append(.age(until: due)) }
            if let fork = facts.forkedFrom, last >= fork { waits.append(.fork(from: fork)) }
            if waits.isEmpty { decision.removed.append(segment) } else { decision.kept.append((segment, waits)) }
        }
        decision.cover = decision.removed.isEmpty ? nil : cover
        decision.baselines = facts.shelf.baselines.values.filter { baseline in
            baseline.name.writer == own
                && usable.contains { $0.dominates(baseline) }
        }
        .map(\.name).sorted()
        return decision
    }
}
