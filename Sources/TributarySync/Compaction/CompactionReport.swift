package import TransactionLog
import TributaryChanges

/// The result of a compaction, or of a dry run.
package struct CompactionReport: Sendable {
    /// The greatest number of segments that are listed.
    package static let limit = 1_000

    package enum Cut: Sendable, Hashable {
        /// A baseline was cut, or would be cut.
        case cut(BaselineName, bytes: UInt64)
        /// There is a baseline of the store's positions already.
        case done(BaselineName, isVerified: Bool)
        case waits(String)
    }

    package enum Verification: Sendable, Hashable {
        /// The store endorses the baseline, or would compare it.
        case verified(BaselineName)
        /// The store has another state at the baseline's vector.
        case differs(BaselineName)
        case waits(BaselineName, String)
        case nothing
    }

    package struct Baseline: Sendable, Hashable {
        package var name: BaselineName
        package var bytes: UInt64
        package var isVerified: Bool
        /// Why it does not count, or what it waits for, as a sentence; nil for nothing.
        package var detail: String?
    }

    /// A remaining own segment.
    package struct Remaining: Sendable, Hashable {
        package var name: SegmentName
        package var bytes: UInt64
        /// The reasons why it waits, each as a sentence.
        package var waits: [String]
    }

    package var isDryRun: Bool
    package var cut = Cut.waits("")
    package var verification = Verification.nothing
    package var baselines: [Baseline] = []
    package var removedSegments = 0
    package var removedBytes: UInt64 = 0
    package var removedBaselines: [BaselineName] = []
    /// The first remaining segments of this store, and of the writers that it was before.
    package var remaining: [Remaining] = []
    package var remainingCount = 0
    package var remainingBytes: UInt64 = 0

    init(isDryRun: Bool) {
        self.isDryRun = isDryRun
    }

    /// Adds the removal of a writer's files, and the segments that stay.
    mutating func add(_ decision: RemovalRule.Decision, _ facts: CompactionFacts, planned: PlannedBaselines) {
        removedSegments += decision.removed.count
        removedBytes = decision.removed.reduce(removedBytes) { $0.addingSaturating($1.bytes) }
        removedBaselines += decision.baselines
        addKept(decision, facts)
        list(facts.shelf, planned)
    }

    /// Adds a removal that failed: all segments of the writer stay.
    mutating func add(failed decision: RemovalRule.Decision, _ facts: CompactionFacts, because reason: String) {
        for segment in decision.removed { add(segment, [reason]) }
        addKept(decision, facts)
    }

    private mutating func addKept(_ decision: RemovalRule.Decision, _ facts: CompactionFacts) {
        for kept in decision.kept { add(kept.segment, kept.waits.map { CompactionReport.text($0, facts) }) }
    }

    private mutating func add(_ segment: CompactionFacts.OwnSegment, _ waits: [String]) {
        remainingCount += 1
        remainingBytes = remainingBytes.addingSaturating(segment.bytes)
        guard remaining.count < CompactionReport.limit else { return }
        remaining.append(Remaining(name: segment.name, bytes: segment.bytes, waits: waits))
    }

    private mutating func list(_ shelf: BaselineShelf, _ planned: PlannedBaselines) {
        let known = shelf.baselines.values.map { baseline in
            Baseline(
                name: baseline.name,
                bytes: baseline.bytes,
                isVerified: shelf.isVerified(baseline),
                detail: shelf.objection(to: baseline) ?? planned.detail(of: baseline)
            )
        }
        let refused = shelf.refused.map { name, refusal in
            Baseline(
                name: name,
                bytes: UInt64(clamping: shelf.mark(name.path)?.size ?? 0),
                isVerified: false,
                detail: "It does not count: \(refusal.reason). \(refusal.hint)"
            )
        }
        baselines = (known + refused).sorted { $0.name < $1.name }
    }

    private static func text(_ wait: RemovalRule.Wait, _ facts: CompactionFacts) -> String {
        switch wait {
        case .baseline(let through):
            return through == 0
                ? "no verified baseline yet"
                : "a verified baseline; the last one has this writer's transactions up to \(through)"
        case .acknowledgement(let writer, let through):
            return "writer \(facts.label(writer)), which has acknowledged \(through); if it is gone, on each machine: "
                + "tributaryctl writer evict \(writer)"
        case .age(let until):
            let seconds = until.duration(since: facts.wall).components.seconds
            return "retention.keep_segments, for another \(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
        }
    }
}
