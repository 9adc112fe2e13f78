import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// A planner that gets numbers at the limits of arithmetic.
struct HostilePlan {
    private var planner: ImportPlanner
    private var wall: WallTime

    init(_ generator: inout SeededGenerator) {
        var limits = ImportPlanner.Limits(
            maxAhead: .milliseconds(HostileNumbers.unsigned(&generator)),
            incompleteGrace: .milliseconds(HostileNumbers.unsigned(&generator))
        )
        limits.batchBytes = max(1, HostileNumbers.signed(&generator))
        planner = ImportPlanner(own: PlannerBench.own, limits: limits)
        wall = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
    }

    mutating func step(_ generator: inout SeededGenerator) {
        let writer = generator.next() % 2 == 0 ? PlannerBench.a : PlannerBench.b
        switch generator.next() % 6 {
        case 0: planner.found(listing(writer, &generator), wall: wall)
        case 1: planner.setPosition(WriterPosition(sequence: HostileNumbers.unsigned(&generator)), of: writer)
        case 2: wall = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
        default: act(&generator)
        }
        ask()
    }

    private mutating func act(_ generator: inout SeededGenerator) {
        switch planner.next(wall: wall) {
        case .verify(let pending):
            for file in pending {
                planner.verified(file.id, file: file.file, as: outcome(file.id, &generator), wall: wall)
            }
        case .apply(let runs):
            for run in runs {
                if generator.next() % 3 > 0 {
                    planner.finished(run.id, sha256: run.segment.sha256, wall: wall)
                } else {
                    let sequence = HostileNumbers.unsigned(&generator)
                    let bounds = SegmentBounds(first: run.id.first, last: run.id.last)
                    let partial = WriterPosition.Partial(bounds: bounds, sha256: run.segment.sha256)
                    planner.advanced(run.id.writer, to: sequence, partial: partial)
                }
            }
        case .examine(let files):
            for file in files {
                let place: BranchPlace = generator.next() % 2 == 0 ? .start(after: file.file.id.first - 1) : .applied
                let outcome = file.outline.map(VerificationOutcome.valid) ?? outcome(file.file.id, &generator)
                planner.examined(file.file, identity: file.identity, as: outcome, at: place, wall: wall)
            }
        case .branch(let run):
            let outcome = VerificationOutcome.valid(run.segment)
            planner.examined(run.file, identity: nil, as: outcome, at: .applied, wall: wall)
        case .join(let baseline): preconditionFailure("the plan has no baseline \(baseline.name)")
        case .wait: break
        }
    }

    private mutating func ask() {
        _ = planner.counts(wall: wall)
        _ = planner.queueLength(wall: wall)
        _ = planner.announce(wall: wall)
        for status in planner.statuses(wall: wall) {
            #expect(planner.status(of: status.id, wall: wall)?.state == status.state, "\(status.id)")
        }
    }

    private func listing(_ writer: UniqueID, _ generator: inout SeededGenerator) -> WriterListing {
        var listing = WriterListing(writer: writer)
        var names: Set<SegmentName> = []
        for _ in 0..<6 {
            let ends = [HostileNumbers.unsigned(&generator), HostileNumbers.unsigned(&generator)].sorted()
            let name = SegmentName(writer: writer, first: max(1, ends[0]), last: max(1, ends[1]))
            guard names.insert(name).inserted else { continue }
            let time = FileTime(seconds: HostileNumbers.signed(&generator), nanoseconds: 999_999_999)
            let size = max(0, HostileNumbers.signed(&generator))
            listing.pending.append(.init(id: name, file: FileIdentity(inode: 1, size: size, modified: time)))
        }
        return listing
    }

    private func outcome(_ id: SegmentName, _ generator: inout SeededGenerator) -> VerificationOutcome {
        switch generator.next() % 6 {
        case 0: return .incomplete(reason: "No end line.", line: nil)
        case 1: return .damaged(reason: "Hash.", line: Int.max)
        case 2: return .unreadable(reason: "Permission.")
        case 3: return .changed
        default:
            let other = id.writer == PlannerBench.a ? PlannerBench.b : PlannerBench.a
            let unmet = SegmentOutline.UnmetDependencies(
                sequence: HostileNumbers.unsigned(&generator),
                needs: [other: HostileNumbers.unsigned(&generator)]
            )
            return .valid(
                SegmentOutline(
                    sha256: id.path,
                    transactions: Int(clamping: HostileNumbers.unsigned(&generator)),
                    changes: Int(clamping: HostileNumbers.unsigned(&generator)),
                    lastClock: HybridClock(rawValue: HostileNumbers.unsigned(&generator)),
                    unmet: generator.next() % 2 == 0 ? unmet : nil
                )
            )
        }
    }
}
