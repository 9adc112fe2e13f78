import TransactionLog
import TributaryChanges

/// Decides when the store joins a verified baseline because the baseline contains transactions that the store lacks.
///
/// It joins at once during the first import, and if the folder has none of the replaced segments. Otherwise it waits for
/// the segments, because joined transactions have no journal of conflicts.
struct PlannedBaselines: Sendable {
    enum Decision: Hashable, Sendable {
        case join(KnownBaseline)
        case wait(until: WallTime)
        case nothing
    }

    private(set) var known = KnownBaselines()
    private(set) var refused: [KnownBaseline: Refusal] = [:]
    /// The wall time since which a writer's next segment is missing and a baseline has its transactions.
    private(set) var gapSince: WallTime?
    private(set) var waiting: Waiting?
    /// The unverified baseline with transactions that the store, the log folder and all verified baselines lack.
    private(set) var offered: Waiting?

    struct Waiting: Hashable, Sendable {
        var baseline: BaselineName
        var since: WallTime
        var refusal: Refusal?
    }

    struct Refusal: Hashable, Sendable {
        var reason: String
        var hint: String
        var retry: WallTime?
        var writer: UniqueID?
    }

    mutating func set(_ known: KnownBaselines) {
        self.known = known
        refused = refused.filter { known.verified.contains($0.key) }
    }

    mutating func refuse(_ baseline: KnownBaseline, _ refusal: Refusal) { refused[baseline] = refusal }

    func detail(of baseline: KnownBaseline) -> String? {
        guard let waiting, waiting.baseline == baseline.name else {
            return refused[baseline].map { "It is not joined: \($0.reason)." }
        }
        return (waiting.refusal?.reason).map { "It is not joined: \($0)." }
            ?? "The log folder lacks segments with its transactions; it is joined once they have been missing for "
            + "watch.incomplete_grace."
    }

    mutating func retry() { refused = [:] }

    /// O(b) for b baselines; nil when no baseline has the transaction.
    func remedy(forMissing sequence: UInt64, of writer: UniqueID) -> String? {
        func first(_ baselines: [KnownBaseline]) -> BaselineName? {
            baselines.first { $0.vector[writer] >= sequence }?.name
        }
        if let name = first(known.verified) {
            return "The verified baseline \(name.path) has them. To see when this store joins it: tributaryctl status"
        }
        if let name = first(known.unverified) { return PlannedBaselines.offer(name) }
        let refused = known.refused.filter { $0.value.vector(of: $0.key)[writer] >= sequence }.min { $0.key < $1.key }
        return refused.map { name, refusal in
            "The baseline \(name.path) has them, but cannot be used: \(refusal.sentence) \(refusal.hint)"
        }
    }

    static func offer(_ name: BaselineName) -> String {
        "The baseline \(name.path) has them, and no store has verified it. If its machine is right: "
            + SyncError.acceptCommand(name)
    }

    /// `isMissing`: no segment has the transaction; `isGone`: no segment up to it is there; O(w) for each baseline.
    mutating func next(
        _ positions: [UniqueID: WriterPosition],
        isBeginning: Bool,
        isMissing: (UInt64, UniqueID) -> Bool,
        isGone: (UInt64, UniqueID) -> Bool,
        wall: WallTime,
        _ grace: Duration
    ) -> Decision {
        waiting = nil
        func lacking(_ baseline: KnownBaseline) -> [(writer: UniqueID, through: UInt64)] {
            baseline.vector.entries.filter { writer, sequence in
                let position = positions[writer]?.sequence ?? 0
                return sequence > position && isMissing(position.addingSaturating(1), writer)
            }
            .map { ($0.key, $0.value) }
        }
        let wanted = known.verified.map { (baseline: $0, lacking: lacking($0)) }.filter { !$0.lacking.isEmpty }
        guard let first = wanted.first?.baseline else {
            gapSince = nil
            let since = offered?.since ?? wall
            offered = known.unverified.first { !lacking($0).isEmpty }.map { Waiting(baseline: $0.name, since: since) }
            return .nothing
        }
        // An offered baseline that was accepted has waited already.
        let since = gapSince ?? offered?.since ?? wall
        offered = nil
        gapSince = since
        let due = since.due(after: grace, at: wall)
        let isDue = isBeginning || wall >= due
        // A segment that its store has removed cannot come any more.
        let ripe = wanted.filter { isDue || $0.lacking.contains { isGone($0.through, $0.writer) } }.map(\.baseline)
        let next = ripe.first ?? first
        waiting = Waiting(baseline: next.name, since: since, refusal: ripe.isEmpty ? nil : refused[next])
        var retry = isDue ? nil : due
        for baseline in ripe {
            guard let refusal = refused[baseline] else { return .join(baseline) }
            guard let time = refusal.retry else { continue }
            if time <= wall { return .join(baseline) }
            retry = min(retry ?? time, time)
        }
        return retry.map { .wait(until: $0) } ?? .nothing
    }
}
