import TransactionLog
import TributaryChanges

/// Decides which verified baseline the store joins, and when.
///
/// A store that has applied nothing begins with the greatest one, and joins at once those that have more of other
/// writers, as long as the log folder has none of the segments for which they stand. A running store joins one when the
/// next segment of a writer is not in the log folder and the baseline has its transactions; it waits for a while
/// before, because a replicator may bring a baseline before the segments.
struct PlannedBaselines: Sendable {
    enum Decision: Hashable, Sendable {
        case join(KnownBaseline)
        case wait(until: WallTime)
        case nothing
    }

    /// The verified baselines of the store's model, the one with the most transactions first.
    private(set) var verified: [KnownBaseline] = []
    /// The reasons why baselines could not be joined, each with the time of the next attempt; nil for none.
    private(set) var refused: [BaselineName: Refusal] = [:]
    /// The wall time since which a writer's next segment is missing and a baseline has its transactions.
    private(set) var gapSince: WallTime?
    /// The baseline that has what is missing and is not joined yet.
    private(set) var waiting: Waiting?
    /// Whether the store was new, and there have been baselines to join since.
    private var isBeginning = false

    struct Waiting: Hashable, Sendable {
        var baseline: BaselineName
        /// The wall time since which something is missing.
        var since: WallTime
        /// Why it was not joined; nil while the missing segments may still come.
        var refusal: Refusal?
    }

    struct Refusal: Hashable, Sendable {
        var reason: String
        var hint: String
        /// The time of the next attempt; nil for none.
        var retry: WallTime?
        /// The writer that keeps it from being joined; nil for none.
        var writer: UniqueID?
    }

    mutating func set(_ verified: [KnownBaseline]) {
        self.verified = verified
        let names = Set(verified.map(\.name))
        refused = refused.filter { names.contains($0.key) }
    }

    mutating func refuse(_ name: BaselineName, _ refusal: Refusal) { refused[name] = refusal }

    /// Why a verified baseline is not joined, as a sentence; nil when nothing is to be joined.
    func detail(of baseline: KnownBaseline) -> String? {
        guard let waiting, waiting.baseline == baseline.name else {
            return refused[baseline.name].map { "It is not joined: \($0.reason)." }
        }
        return (waiting.refusal?.reason).map { "It is not joined: \($0)." }
            ?? "It has transactions whose segments are not in the log folder; it is joined once they have been missing for "
            + "watch.incomplete_grace."
    }

    mutating func retry() { refused = [:] }

    /// Decides; O(w) for each baseline.
    mutating func next(
        _ positions: [UniqueID: WriterPosition],
        own: UniqueID,
        isMissing: (UInt64, UniqueID) -> Bool,
        isGone: (UInt64, UniqueID) -> Bool = { _, _ in false },
        wall: WallTime,
        _ grace: Duration
    ) -> Decision {
        waiting = nil
        guard !verified.isEmpty else { return end() }
        func applied(_ writer: UniqueID) -> UInt64 { positions[writer]?.sequence ?? 0 }
        let isNew = positions.allSatisfy { $0.key == own || $0.value.sequence == 0 }
        if isNew { isBeginning = true }
        func lacking(_ baseline: KnownBaseline) -> [(UniqueID, UInt64)] {
            baseline.vector.entries.filter { writer, sequence in
                let position = applied(writer)
                guard sequence > position else { return false }
                return isNew || isMissing(position.addingSaturating(1), writer)
            }
            .map { ($0.key, $0.value) }
        }
        let wanted = verified.filter { !lacking($0).isEmpty }
        guard !wanted.isEmpty else { return end() }
        let since = gapSince ?? wall
        gapSince = since
        let due = since.later(by: grace)
        let isDue = isNew || wall >= due
        // No segment can come that a writer has removed.
        let ripe =
            isDue ? wanted : isBeginning ? wanted.filter { lacking($0).allSatisfy { isGone($0.1, $0.0) } } : []
        let first = ripe.first ?? wanted.first
        waiting = first.map { Waiting(baseline: $0.name, since: since, refusal: ripe.isEmpty ? nil : refused[$0.name]) }
        var retry = isDue ? nil : due
        for baseline in ripe {
            guard let refusal = refused[baseline.name] else { return .join(baseline) }
            guard let time = refusal.retry else { continue }
            if time <= wall { return .join(baseline) }
            retry = min(retry ?? time, time)
        }
        return retry.map { .wait(until: $0) } ?? .nothing
    }

    private mutating func end() -> Decision {
        gapSince = nil
        isBeginning = false
        return .nothing
    }
}
