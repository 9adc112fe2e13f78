import TransactionLog
import TributaryChanges

/// Decides which verified baseline the store joins, and when.
///
/// A store that has applied nothing begins with the greatest one. A running store joins one when the next segment of a
/// writer is not in the log folder and the baseline has its transactions; it waits for a while before, because a
/// replicator may bring a baseline before the segments.
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

    struct Waiting: Hashable, Sendable {
        var baseline: BaselineName
        /// The wall time since which something is missing.
        var since: WallTime
        /// Why it was not joined; nil while the missing segments may still come.
        var reason: String?
    }

    struct Refusal: Hashable, Sendable {
        var reason: String
        var retry: WallTime?
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
        return waiting.reason.map { "It is not joined: \($0)." }
            ?? "It has transactions whose segments are not in the log folder; it is joined once they have been missing for "
            + "watch.incomplete_grace."
    }

    /// Tries refused baselines again.
    mutating func retry() { refused = [:] }

    /// Decides; O(w) for each baseline.
    ///
    /// - Parameters:
    ///   - positions: The position of each writer.
    ///   - own: The store's own writer.
    ///   - reaches: The last sequence that some branch of a forked writer has reached.
    ///   - isMissing: Whether no segment in the log folder has a transaction.
    ///   - wall: The wall time.
    ///   - grace: The time for which a running store waits for missing segments.
    /// - Returns: The decision.
    mutating func next(
        _ positions: [UniqueID: WriterPosition],
        own: UniqueID,
        reaches: [UniqueID: UInt64] = [:],
        isMissing: (UInt64, UniqueID) -> Bool,
        wall: WallTime,
        _ grace: Duration
    ) -> Decision {
        waiting = nil
        guard !verified.isEmpty else {
            gapSince = nil
            return .nothing
        }
        func applied(_ writer: UniqueID) -> UInt64 { max(positions[writer]?.sequence ?? 0, reaches[writer] ?? 0) }
        // A baseline with later own transactions shows that the store is older than what it has published, and one with
        // branches of the own writer that another program writes as it: the store becomes another writer first.
        let usable = verified.filter { $0.vector[own] <= applied(own) && $0.forks[own] == nil }
        let isNew = positions.allSatisfy { $0.key == own || $0.value.sequence == 0 }
        let wanted = usable.filter { baseline in
            baseline.vector.entries.contains { writer, sequence in
                let position = applied(writer)
                guard writer != own, sequence > position else { return false }
                return isNew || isMissing(position.addingSaturating(1), writer)
            }
        }
        guard !wanted.isEmpty else {
            gapSince = nil
            return .nothing
        }
        let since = gapSince ?? wall
        gapSince = since
        let due = since.later(by: grace)
        guard isNew || wall >= due else {
            waiting = wanted.first.map { Waiting(baseline: $0.name, since: since) }
            return .wait(until: due)
        }
        waiting = wanted.first.map { Waiting(baseline: $0.name, since: since, reason: refused[$0.name]?.reason) }
        var retry: WallTime?
        for baseline in wanted {
            guard let refusal = refused[baseline.name] else { return .join(baseline) }
            guard let time = refusal.retry else { continue }
            if time <= wall { return .join(baseline) }
            retry = min(retry ?? time, time)
        }
        return retry.map { .wait(until: $0) } ?? .nothing
    }
}
