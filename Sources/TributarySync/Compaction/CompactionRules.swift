import TransactionLog
import TributaryChanges
import TributaryStore

struct CutRule {
    enum Decision: Hashable, Sendable {
        case cut(BaselineName)
        /// Another file has the name: write a transaction without changes first.
        case acknowledge
        case done(KnownBaseline, isVerified: Bool)
        case wait(String)
    }

    let facts: CompactionFacts

    /// O(w) for each baseline.
    var decision: Decision {
        if let reason = obstacle { return .wait(reason) }
        let vector = facts.vector
        let knownBaselines = facts.knownBaselines
        let equal = knownBaselines.baselines.values.filter {
            $0.vector == vector && $0.modelHash == facts.modelHash
                && knownBaselines.comparison(of: $0, by: facts.owners)?.difference == nil
        }
        if let known = equal.min(by: { $0.name < $1.name }) {
            return .done(known, isVerified: knownBaselines.isVerified(known))
        }
        let name = BaselineName(writer: facts.own, sequence: vector[facts.own])
        return knownBaselines.isTaken(name) ? .acknowledge : .cut(name)
    }

    private var obstacle: String? {
        guard facts.vector[facts.own] > 0 else { return "This store has written nothing yet that names a baseline." }
        guard !facts.hasUnexported else { return "This store has transactions that are not exported yet." }
        guard facts.knownBaselines.selfContradicted.isDisjoint(with: facts.owners) else {
            return "The log folder contradicts the state of this store. See the problem baselines-differ, and type: "
                + "tributaryctl check"
        }
        let count = facts.writers.count
        guard count <= LogLimits.baselineWriters else {
            return "A baseline may have \(LogLimits.baselineWriters) writers, and \(count) have written into the log "
                + "folder: all segments stay. Begin a new log folder for some of them."
        }
        return nil
    }

    /// Among the stores that have written lately, the least label cuts, so nobody waits for a machine that is gone; O(w).
    ///
    /// A store keeps its label as a fresh writer. A clock that is far ahead does not show when its store wrote last.
    var isOwnTurn: Bool {
        let silence = max(facts.keep, CutRule.leastSilence)
        let lately = facts.wall.earlier(by: silence)...facts.wall.later(by: silence)
        let contradicted = facts.knownBaselines.selfContradicted
        return facts.active.filter { peer in
            peer.writers.contains { lately.contains($0.clock.wallTime) }
                && contradicted.isDisjoint(with: peer.writers.map(\.id))
        }
        .allSatisfy { facts.store < $0.writer.store }
    }

    /// The others wait at least this long for a store that does not write.
    private static let leastSilence = Duration.seconds(86_400)

    /// A baseline costs as much as the whole state, so it must make room for at least half of its own size.
    ///
    /// The store's own last baseline gets a day to be endorsed.
    func isWorthwhile(uncovered: UInt64) -> Bool {
        let knownBaselines = facts.knownBaselines
        let isOpen = knownBaselines.baselines.values.contains { baseline in
            facts.owners.contains(baseline.name.writer) && !knownBaselines.isVerified(baseline)
                && !facts.isOld(baseline)
        }
        guard uncovered > 0, !isOpen else { return false }
        guard let last = knownBaselines.verified.first else { return true }
        return uncovered >= last.bytes / 2
    }
}

/// Own baselines, and baselines of copies, share the faults of the state: they are also compared with the log folder.
///
/// This happens only if no other store is there, another store objects, or nobody has endorsed the baseline for a day.
struct ComparisonRule {
    enum Decision: Hashable, Sendable {
        case compare(KnownBaseline, isOwn: Bool)
        case behind(KnownBaseline)
        case wait(KnownBaseline, String)
        case nothing
    }

    var facts: CompactionFacts
    var obstructed: Set<BaselineName> = []

    /// The greatest baseline that is not compared yet and that no verified baseline covers; O(w) for each baseline.
    var decision: Decision {
        let knownBaselines = facts.knownBaselines
        let open = knownBaselines.baselines.values.filter { baseline in
            guard knownBaselines.comparison(of: baseline, by: facts.owners) == nil, !obstructed.contains(baseline.name)
            else { return false }
            // Every other store compares the newest baseline, so that a store with a different state is found.
            let isOwn = isOwn(baseline)
            return !knownBaselines.verified.contains { isOwn ? $0.covers(baseline) : $0.dominates(baseline) }
        }
        var rest = Decision.nothing
        for baseline in open.greatestFirst {
            let decision = decide(baseline)
            switch (decision, rest) {
            case (.compare, _): return decision
            case (.behind, .wait), (_, .nothing): rest = decision
            default: break
            }
        }
        return rest
    }

    func isOwn(_ baseline: KnownBaseline) -> Bool {
        facts.owners.contains(baseline.name.writer) || facts.sharesOrigin(baseline.name.writer)
    }

    /// If no store of another origin is active, a day-old baseline may be endorsed although files are missing.
    func isLastResort(_ baseline: KnownBaseline) -> Bool { isAlone && facts.isOld(baseline) }

    private var isAlone: Bool { facts.active.allSatisfy { facts.sharesOrigin($0.writer.id) } }

    static let otherModel = "It was made under another version of the model: a store of that version compares it."

    private func decide(_ baseline: KnownBaseline) -> Decision {
        guard baseline.modelHash == facts.modelHash else { return .wait(baseline, ComparisonRule.otherModel) }
        guard facts.vector.covers(baseline.vector) else { return .behind(baseline) }
        guard isOwn(baseline) else { return .compare(baseline, isOwn: false) }
        guard isAlone || facts.knownBaselines.objection(to: baseline) != nil || facts.isOld(baseline) else {
            let reason =
                "Another store compares it. This store made it, or is a copy of its maker, and compares it after a day."
            return .wait(baseline, reason)
        }
        return .compare(baseline, isOwn: true)
    }
}

/// A segment is removed when a verified baseline covers it, all active stores have acknowledged it, and it is old.
///
/// A baseline is removed when a verified baseline has all of its transactions and more, and so is its comparison.
struct RemovalRule {
    enum Wait: Hashable, Sendable {
        /// `through` is the owner's last transaction in a verified baseline.
        case baseline(through: UInt64)
        /// `through` is the owner's last transaction that the active writer has.
        case acknowledgement(UniqueID, through: UInt64)
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
        /// They are read completely before the files that they replace are removed.
        var covers: [KnownBaseline] = []

        var isEmpty: Bool { removed.isEmpty && baselines.isEmpty && comparisons.isEmpty }

        var fileNames: [String] {
            removed.map(\.name.fileName) + baselines.map(\.fileName) + comparisons.map(\.fileName)
        }
    }

    let facts: CompactionFacts

    /// O(n) for the segments when all are acknowledged, and O(w) for each segment that waits.
    var decision: Decision {
        var decision = Decision()
        let owner = facts.owner
        let usable = facts.knownBaselines.verified
        let cover = usable.max { $0.vector[owner] < $1.vector[owner] }
        let covered = cover?.vector[owner] ?? 0
        let active = facts.active.map { ($0.writer.id, $0.seen[owner]) }
        for segment in facts.segments {
            var waits: [Wait] = []
            let last = segment.name.last
            if last > covered { waits.append(.baseline(through: covered)) }
            for (writer, seen) in active where seen < last {
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
        func isCovered(_ isGreater: (KnownBaseline) -> Bool) -> Bool {
            guard let greater = usable.first(where: isGreater) else { return false }
            if !decision.covers.contains(greater) { decision.covers.append(greater) }
            return true
        }
        for baseline in facts.knownBaselines.baselines.values where baseline.name.writer == owner {
            if isCovered({ $0.dominates(baseline) }) { decision.baselines.append(baseline.name) }
        }
        // A baseline with a later transaction of this maker has all transactions of the maker's earlier baseline.
        func isLater(_ other: KnownBaseline, than name: BaselineName) -> Bool {
            other.vector[name.writer] > name.sequence
        }
        // The key of these files is lost. A store that still has the key finds everything in the verified baseline.
        for (name, refusal) in facts.knownBaselines.refused where name.writer == owner && refusal.isLocked {
            if isCovered({ isLater($0, than: name) }) { decision.baselines.append(name) }
        }
        for (name, refusal) in facts.knownBaselines.refusedComparisons where name.writer == owner && refusal.isLocked {
            if isCovered({ isLater($0, than: name.baseline) }) { decision.comparisons.append(name) }
        }
        decision.baselines.sort()
        for name in facts.knownBaselines.comparisons.keys where name.writer == owner {
            // The file of the baseline may be temporarily invisible.
            let baseline = facts.knownBaselines.baselines[name.baseline]
            if isCovered({ baseline.map($0.dominates) ?? isLater($0, than: name.baseline) }) {
                decision.comparisons.append(name)
            }
        }
        decision.comparisons.sort()
        return decision
    }
}
