package import TransactionLog
import TributaryChanges

/// What a compaction did, or would do.
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
        /// The baseline of another writer has equal bytes, or would be compared.
        case verified(BaselineName)
        /// The store has other bytes at the baseline's vector.
        case differs(BaselineName)
        case waits(BaselineName, String)
        case nothing
    }

    package struct Baseline: Sendable, Hashable {
        package var name: BaselineName
        package var bytes: UInt64
        package var isVerified: Bool
    }

    /// A remaining own segment.
    package struct Remaining: Sendable, Hashable {
        package var name: SegmentName
        package var bytes: UInt64
        /// What it waits for, each as a sentence.
        package var waits: [String]
    }

    package var isDryRun: Bool
    package var cut = Cut.waits("")
    package var verification = Verification.nothing
    /// The baselines in the log folder.
    package var baselines: [Baseline] = []
    package var removedSegments = 0
    package var removedBytes: UInt64 = 0
    package var removedBaselines: [BaselineName] = []
    /// The first remaining own segments.
    package var remaining: [Remaining] = []
    package var remainingCount = 0
    package var remainingBytes: UInt64 = 0

    init(isDryRun: Bool) {
        self.isDryRun = isDryRun
    }

    /// Takes what the rule of removal has decided.
    mutating func take(_ decision: RemovalRule.Decision, _ facts: CompactionFacts) {
        remainingCount = decision.kept.count
        remainingBytes = decision.kept.reduce(0) { $0.addingSaturating($1.segment.bytes) }
        remaining = decision.kept.prefix(CompactionReport.limit).map { segment, waits in
            Remaining(
                name: segment.name,
                bytes: segment.bytes,
                waits: waits.map { CompactionReport.text($0, facts) }
            )
        }
        baselines = facts.shelf.baselines.values.sorted { $0.name < $1.name }.map {
            Baseline(name: $0.name, bytes: $0.bytes, isVerified: facts.shelf.isVerified($0))
        }
    }

    private static func text(_ wait: RemovalRule.Wait, _ facts: CompactionFacts) -> String {
        switch wait {
        case .baseline(let through):
            if facts.active.isEmpty {
                return "no other writer acknowledges what it applies, so no baseline can be verified"
            }
            return through == 0
                ? "no verified baseline yet"
                : "a verified baseline; the last one has this writer's transactions up to \(through)"
        case .acknowledgement(let writer, let through):
            return "writer \(facts.label(writer)), which has acknowledged \(through); if it is gone, on each machine: "
                + "tributaryctl writer evict \(writer)"
        case .age(let until):
            let seconds = until.duration(since: facts.wall).components.seconds
            return "retention.keep_segments, for another \(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
        case .fork(let from):
            return "the fork at transaction \(from) of this writer"
        }
    }
}
