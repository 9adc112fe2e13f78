import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// The cost of each step of the planner does not depend on the backlog of a writer or on the number of writers.
///
/// Work that grows with the square of the backlog does not end within the limit.
@Suite(.timeLimit(.minutes(30))) struct PlannerGrowthTests {
    private let a = PlannerBench.a

    private func planner() -> ImportPlanner {
        ImportPlanner(own: PlannerBench.own, limits: .init(maxAhead: .seconds(3600), incompleteGrace: .seconds(60)))
    }

    private func listing(_ writer: UniqueID, _ count: UInt64, from first: UInt64 = 1) -> WriterListing {
        var listing = WriterListing(writer: writer)
        listing.pending = (0..<count).map { number in
            let name = PlannerBench.name(writer, first + number, first + number)
            return WriterListing.Pending(id: name, file: FileIdentity(FileAttributes(inode: number, size: 600)))
        }
        return listing
    }

    /// Carries out the planner's actions until it waits; returns the size of the largest batch.
    private func settle(_ planner: inout ImportPlanner) -> Int {
        var largest = 0
        while true {
            switch planner.next(wall: PlannerBench.wall) {
            case .verify(let pending):
                for file in pending {
                    planner.verified(
                        file.id,
                        file: file.file,
                        as: PlannerBench.valid(file.id),
                        wall: PlannerBench.wall
                    )
                }
            case .apply(let runs):
                largest = max(largest, runs.count)
                for run in runs { planner.finished(run.id) }
            case .join(let baseline): preconditionFailure("the planner has no baseline \(baseline.name)")
            case .wait: return largest
            }
        }
    }

    @Test func aBacklogIsAppliedInBatchesThatTheImporterRemembers() {
        var planner = planner()
        planner.found(listing(a, 30_000), wall: PlannerBench.wall)
        let largest = settle(&planner)
        #expect(planner.position(of: a).sequence == 30_000)
        #expect(planner.counts(wall: PlannerBench.wall) == [.applied: 30_000])
        #expect(largest == planner.limits.batchSegments)
    }

    /// What the daemon keeps of each segment of a folder, besides 8 bytes each for its place in the order.
    @Test func aSegmentOfABacklogTakesFewBytes() {
        #expect(MemoryLayout<PlannedWriter.Waiting>.stride <= 40)
        #expect(MemoryLayout<KnownFolder.File>.stride <= 32)
    }

    @Test func segmentsThatWaitBehindAGapCostNothingAtEachHint() {
        var planner = planner()
        planner.found(listing(a, 30_000, from: 100_001), wall: PlannerBench.wall)
        for number in 1...5_000 as ClosedRange<UInt64> {
            var change = ListingChange(writer: a)
            let name = PlannerBench.name(a, 99_999 - number, 99_999 - number)
            change.names = [name]
            change.pending = [
                WriterListing.Pending(id: name, file: FileIdentity(FileAttributes(inode: number, size: 600)))
            ]
            planner.found(change, wall: PlannerBench.wall)
        }
        #expect(planner.counts(wall: PlannerBench.wall) == [.waiting: 35_000])
        _ = settle(&planner)
        #expect(planner.announce(wall: PlannerBench.wall).count == planner.limits.readAhead)
    }

    @Test func manyWritersAreCountedInOnePass() {
        var planner = planner()
        let writers = (1...20_000 as ClosedRange<UInt64>).map { UniqueID(high: 0xAAAA, low: $0) }
        for writer in writers { planner.found(listing(writer, 1, from: 2), wall: PlannerBench.wall) }
        #expect(planner.counts(wall: PlannerBench.wall) == [.waiting: 20_000])
        #expect(planner.queueLength(wall: PlannerBench.wall) == 20_000)
        for writer in writers { planner.found(listing(writer, 2), wall: PlannerBench.wall) }
        _ = settle(&planner)
        #expect(planner.counts(wall: PlannerBench.wall) == [.applied: 40_000])
        #expect(planner.queueLength(wall: PlannerBench.wall) == 0)
    }

    /// A plan meets each of them once, and not for each segment that they hold.
    @Test func manySegmentsThatCoverAllOthersAndAreDamagedCostLittle() {
        var planner = planner()
        var all = listing(a, 1_000)
        let file = FileIdentity(FileAttributes(inode: 0, size: 1))
        let covers = (0..<1_000 as Range<UInt64>).map { PlannerBench.name(a, 1, .max - $0) }
        all.pending += covers.map { WriterListing.Pending(id: $0, file: file) }
        planner.found(all, wall: PlannerBench.wall)
        let damaged = VerificationResult.bad(.damaged, reason: "Hash.", line: nil)
        for cover in covers { planner.verified(cover, file: file, as: damaged, wall: PlannerBench.wall) }
        _ = settle(&planner)
        #expect(planner.position(of: a).sequence == 1_000)
        #expect(planner.segmentLooks <= 20_000, "\(planner.segmentLooks)")
    }

    @Test func aSegmentThatCoversAllOthersAndIsDamagedHoldsNothingUp() {
        var planner = planner()
        var all = listing(a, 10_000)
        let cover = PlannerBench.name(a, 1, .max)
        all.pending.append(WriterListing.Pending(id: cover, file: FileIdentity(FileAttributes(inode: 0, size: 1))))
        planner.found(all, wall: PlannerBench.wall)
        let file = FileIdentity(FileAttributes(inode: 0, size: 1))
        planner.verified(cover, file: file, as: .bad(.damaged, reason: "Hash.", line: nil), wall: PlannerBench.wall)
        _ = settle(&planner)
        #expect(planner.position(of: a).sequence == 10_000)
        #expect(planner.counts(wall: PlannerBench.wall) == [.applied: 10_000, .damaged: 1])
    }
}
