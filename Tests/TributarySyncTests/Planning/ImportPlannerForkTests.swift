import Testing
import TransactionLog
import TributaryChanges
import TributarySync

@Suite struct ImportPlannerForkTests {
    private let a = PlannerBench.a
    private let b = PlannerBench.b

    private func name(_ writer: UniqueID, _ first: UInt64, _ last: UInt64) -> SegmentName {
        PlannerBench.name(writer, first, last)
    }

    @Test func overlapWithOtherBoundsBeforeEitherIsAppliedForksBoth() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 3))
        bench.put(name(a, 2, 4))
        bench.put(name(a, 5, 5))
        bench.put(name(b, 1, 1))
        bench.settle()
        #expect(bench.state(name(a, 1, 3)) == .forked)
        #expect(bench.state(name(a, 2, 4)) == .forked)
        #expect(bench.state(name(a, 5, 5)) == .waiting)
        #expect(bench.applied == [name(b, 1, 1)])
    }

    @Test func overlapWithWhatIsAppliedIsAFork() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 3))
        bench.settle()
        bench.put(name(a, 2, 4))
        bench.put(name(a, 4, 4))
        bench.settle()
        #expect(bench.state(name(a, 2, 4)) == .forked)
        #expect(bench.state(name(a, 1, 3)) == .applied)
        #expect(bench.planner.counts(wall: bench.wall)[.forked] ?? 0 >= 1)
    }

    @Test func aDamagedFileThatOverlapsIsNoProofOfAFork() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 100), .damaged(reason: "hash", line: nil))
        bench.put(name(a, 1, 2))
        bench.put(name(a, 3, 4))
        bench.settle()
        #expect(bench.applied == [name(a, 1, 2), name(a, 3, 4)])
        #expect(bench.state(name(a, 1, 100)) == .damaged)
    }

    @Test func aSegmentThatFollowsAnotherBranchIsAFork() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1), PlannerBench.valid(name(a, 1, 1), hash: "one"))
        bench.settle()
        bench.put(name(a, 2, 2), PlannerBench.valid(name(a, 2, 2), previous: "other"))
        bench.settle()
        #expect(bench.state(name(a, 2, 2)) == .forked)
        #expect(bench.planner.position(of: a).sequence == 1)

        bench.put(name(a, 2, 2), PlannerBench.valid(name(a, 2, 2), previous: "one"))
        bench.settle()
        #expect(bench.state(name(a, 2, 2)) == .applied)
    }

    /// A baseline moves the position into the middle of a segment, without any segment.
    @Test func aSegmentThatABaselineEndsWithinIsNoFork() {
        var bench = PlannerBench()
        bench.planner.setPosition(WriterPosition(sequence: 4, lastHash: "two", wholeThrough: 2), of: a)
        bench.put(name(a, 3, 5), PlannerBench.valid(name(a, 3, 5), previous: "other"))
        bench.settle()
        #expect(bench.state(name(a, 3, 5)) == .forked)

        bench.put(name(a, 3, 5), PlannerBench.valid(name(a, 3, 5), previous: "two"))
        bench.settle()
        #expect(bench.state(name(a, 3, 5)) == .applied)
        bench.put(name(a, 5, 6))
        bench.settle()
        #expect(bench.state(name(a, 5, 6)) == .forked)
    }

    @Test func thePartOfASegmentThatIsAppliedPinsTheRest() {
        let unmet = SegmentOutline.UnmetDependencies(sequence: 2, needs: [b: 1])
        var bench = PlannerBench()
        bench.put(name(a, 1, 3), PlannerBench.valid(name(a, 1, 3), hash: "first", unmet: unmet))
        bench.settle()
        #expect(bench.planner.position(of: a).sequence == 1)
        // Another file replaces the waiting segment.
        bench.put(name(a, 1, 3), PlannerBench.valid(name(a, 1, 3), hash: "second"))
        bench.put(name(b, 1, 1))
        bench.settle()
        #expect(bench.state(name(a, 1, 3)) == .forked)
        #expect(bench.planner.position(of: a).sequence == 1)
        // The first file returns.
        bench.put(name(a, 1, 3), PlannerBench.valid(name(a, 1, 3), hash: "first", unmet: unmet))
        bench.settle()
        #expect(bench.state(name(a, 1, 3)) == .applied)
    }

    @Test func aContradictionOfAnAppliedSegmentIsListedUntilTheFileIsRemoved() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1))
        bench.settle()
        var listing = WriterListing(writer: a)
        listing.applied[SegmentBounds(first: 1, last: 1)] = WriterListing.Applied(inode: 9, isChecked: true)
        bench.planner.found(listing, wall: bench.wall)
        bench.planner.contradicted(name(a, 1, 1), reason: "Other hash.", wall: bench.wall)
        #expect(bench.status(name(a, 1, 1))?.state == .forked)
        #expect(bench.planner.counts(wall: bench.wall) == [.forked: 1])
        bench.planner.found(WriterListing(writer: a), wall: bench.wall)
        #expect(bench.status(name(a, 1, 1)) == nil)
    }
}
