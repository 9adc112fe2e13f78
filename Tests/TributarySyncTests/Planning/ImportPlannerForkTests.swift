import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

@Suite struct ImportPlannerForkTests {
    private let a = PlannerBench.a
    private let b = PlannerBench.b

    private func name(_ writer: UniqueID, _ first: UInt64, _ last: UInt64) -> SegmentName {
        PlannerBench.name(writer, first, last)
    }

    @Test func bothOfTwoOverlappingSegmentsAreApplied() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 3))
        bench.put(name(a, 2, 4))
        bench.put(name(a, 5, 5))
        bench.put(name(b, 1, 1))
        bench.settle()
        for name in [name(a, 1, 3), name(a, 2, 4), name(a, 5, 5), name(b, 1, 1)] {
            #expect(bench.applied.count { $0 == name } == 1, "\(name)")
        }
        #expect(bench.planner.counts(wall: bench.wall)[.forked] == nil)
    }

    /// A segment within another one is behind the position as soon as the other one is applied.
    @Test func aSegmentWithinAnotherOneDoesNotGoUnread() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 3))
        bench.put(name(a, 2, 2))
        bench.settle()
        #expect(Set(bench.verified) == [name(a, 1, 3), name(a, 2, 2)])
        #expect(bench.applied == [name(a, 1, 3), name(a, 2, 2)])
    }

    @Test func aSegmentThatOverlapsAnAppliedOneIsABranch() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 3))
        bench.settle()
        bench.put(name(a, 2, 4))
        bench.settle()
        #expect(bench.applied == [name(a, 1, 3), name(a, 2, 4)])
        #expect(bench.planner.position(of: a).sequence == 3)
        #expect(bench.planner.branches.reaches[a] == 4)
    }

    /// Whatever order the files of two clones come in, under one name or as conflict copies: each is applied once.
    @Test func branchesAreAppliedInAnyOrderOfArrival() throws {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        // A stem of one segment; each clone goes on for two, with bounds of its own or those of the other one.
        let files: [(SegmentName, String, String?)] = [
            (name(a, 1, 2), "stem", nil), (name(a, 3, 4), "left 1", "stem"), (name(a, 5, 5), "left 2", "left 1"),
            (name(a, 3, 4), "right 1", "stem"), (name(a, 5, 6), "right 2", "right 1"), (name(a, 3, 3), "third", "stem"),
        ]
        for round in 0..<200 {
            var bench = PlannerBench()
            for (index, file) in files.shuffled(using: &generator).enumerated() {
                let outcome = PlannerBench.valid(file.0, hash: file.1, previous: file.2)
                if bench.files[a]?.contains(where: { $0.id == file.0 }) == true || generator.next() % 3 == 0 {
                    bench.put(copyOf: file.0, "\(index)", outcome)
                } else {
                    bench.put(file.0, outcome)
                }
                if generator.next() % 2 == 0 { bench.settle() }
            }
            bench.settle()
            #expect(
                bench.appliedHashes(of: a) == files.map(\.1).sorted(),
                "seed \(generator.seed), round \(round): \(bench.planner.statuses(wall: bench.wall))"
            )
            #expect(max(bench.planner.branches.reaches[a] ?? 0, bench.planner.position(of: a).sequence) == 6)
        }
    }

    @Test func aBranchWaitsForTheSegmentThatItFollows() throws {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1), PlannerBench.valid(name(a, 1, 1), hash: "one"))
        bench.put(name(a, 2, 2), PlannerBench.valid(name(a, 2, 2), hash: "two", previous: "one"))
        bench.settle()
        bench.put(name(a, 3, 3), PlannerBench.valid(name(a, 3, 3), hash: "three", previous: "other"))
        bench.settle()
        let status = try #require(bench.status(name(a, 3, 3)))
        #expect(status.state == .waiting && status.reason.contains("other"), "\(status.reason)")
        bench.put(copyOf: name(a, 2, 2), "x", PlannerBench.valid(name(a, 2, 2), hash: "other", previous: "one"))
        bench.settle()
        #expect(bench.status(name(a, 3, 3)) == nil)
        #expect(bench.appliedHashes(of: a) == ["one", "other", "three", "two"])
    }

    @Test func aDependencyOnAForkedWriterIsMetByEitherBranch() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1), PlannerBench.valid(name(a, 1, 1), hash: "one"))
        let needs = SegmentOutline.UnmetDependencies(sequence: 1, needs: [a: 3])
        bench.put(name(b, 1, 1), PlannerBench.valid(name(b, 1, 1), unmet: needs))
        bench.settle()
        #expect(bench.state(name(b, 1, 1)) == .waiting)
        bench.put(copyOf: name(a, 1, 3), "x", PlannerBench.valid(name(a, 1, 3), hash: "branch"))
        bench.settle()
        #expect(bench.planner.position(of: a).sequence == 1)
        #expect(bench.state(name(b, 1, 1)) == .applied)
    }

    @Test func aTornCopyIsNoBranch() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1))
        bench.put(copyOf: name(a, 1, 1), "x", .incomplete(reason: "It has no end line.", line: nil))
        bench.put(copyOf: name(a, 1, 1), "y", .damaged(reason: "The hash differs.", line: 2))
        bench.settle()
        #expect(bench.applied == [name(a, 1, 1)])
        let counts = bench.planner.counts(wall: bench.wall)
        #expect(counts[.incomplete] == 1 && counts[.damaged] == 1, "\(counts)")
    }

    @Test func aBranchWithAClockTooFarAheadIsHeldUntilItIsAccepted() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1))
        bench.settle()
        let ahead = PlannerBench.valid(name(a, 1, 1), hash: "late", clock: bench.wall.later(by: .seconds(7200)))
        bench.put(copyOf: name(a, 1, 1), "x", ahead)
        bench.settle()
        #expect(bench.status(name(a, 1, 1))?.state == .held)
        #expect(bench.planner.accept(name(a, 1, 1), wall: bench.wall) == "late")
        bench.settle()
        #expect(bench.applied.count == 2)
    }

    /// Several branches have segments with the same numbers: the one that is held is accepted, one after the other.
    @Test func ofBranchesWithEqualNamesTheHeldOneIsAccepted() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1))
        bench.settle()
        let late = bench.wall.later(by: .seconds(7200))
        bench.put(copyOf: name(a, 1, 1), "a", PlannerBench.valid(name(a, 1, 1), hash: "applied"))
        bench.put(copyOf: name(a, 1, 1), "b", PlannerBench.valid(name(a, 1, 1), hash: "late 1", clock: late))
        bench.put(copyOf: name(a, 1, 1), "c", PlannerBench.valid(name(a, 1, 1), hash: "late 2", clock: late))
        bench.settle()
        #expect(bench.planner.counts(wall: bench.wall)[.held] == 2)
        #expect(bench.planner.accept(name(a, 1, 1), wall: bench.wall) == "late 1")
        bench.settle()
        #expect(bench.planner.accept(name(a, 1, 1), wall: bench.wall) == "late 2")
        bench.settle()
        #expect(bench.planner.statuses(wall: bench.wall).isEmpty)
        #expect(bench.appliedHashes(of: a).count == 4)
    }

    /// Applied files take no room from others, however many there are; what had no room is found by the next scan.
    @Test func aBranchIsFoundAmongThousandsOfCopies() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1), PlannerBench.valid(name(a, 1, 1), hash: "one"))
        bench.put(name(a, 2, 2), PlannerBench.valid(name(a, 2, 2), hash: "two", previous: "one"))
        bench.settle()
        let copied = PlannerBench.valid(name(a, 1, 1), hash: "one")
        let copies = (0..<PlannedBranches.fileLimit + 10).map { ("\($0)", copied) }
        bench.put(copiesOf: name(a, 1, 1), copies)
        bench.put(copyOf: name(a, 2, 2), "z", PlannerBench.valid(name(a, 2, 2), hash: "branch", previous: "one"))
        #expect(bench.planner.branches.drainCrowded().isEmpty)
        bench.settle()
        #expect(bench.planner.branches.drainCrowded() == [a])
        bench.scan(a)
        bench.settle()
        #expect(bench.appliedHashes(of: a) == ["branch", "one", "two"])
        #expect(bench.planner.statuses(wall: bench.wall).isEmpty && bench.planner.branches.files.isEmpty)
        // An applied file is not read again, until it changes or is asked for.
        bench.scan(a)
        #expect(bench.planner.next(wall: bench.wall) == .wait(until: nil))
        #expect(bench.planner.isKnown(name(a, 2, 2)) && bench.planner.retry(name(a, 2, 2)))
        bench.scan(a)
        #expect(bench.planner.next(wall: bench.wall) != .wait(until: nil))
    }

    /// A writer with too many branches gets no further one, and nothing else stops.
    @Test func thereIsALimitOfBranches() {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1))
        bench.settle()
        for number in 0..<20 {
            bench.put(copyOf: name(a, 1, 1), "\(number)", PlannerBench.valid(name(a, 1, 1), hash: "branch \(number)"))
        }
        bench.put(name(b, 1, 1))
        bench.settle()
        #expect(bench.appliedHashes(of: a).count == WriterLines.limit)
        #expect(bench.planner.counts(wall: bench.wall)[.forked] == 21 - WriterLines.limit)
        #expect(bench.state(name(b, 1, 1)) == .applied)
        bench.put(name(a, 2, 2), PlannerBench.valid(name(a, 2, 2), previous: name(a, 1, 1).path))
        bench.settle()
        #expect(bench.state(name(a, 2, 2)) == .applied)
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

    /// A baseline moves the position into the middle of a segment, without any segment.
    @Test func aSegmentThatABaselineEndsWithinIsNoFork() {
        var bench = PlannerBench()
        bench.planner.setPosition(WriterPosition(sequence: 4, lastHash: "two", wholeThrough: 2), of: a)
        bench.put(name(a, 3, 5), PlannerBench.valid(name(a, 3, 5), previous: "other"))
        bench.settle()
        #expect(bench.state(name(a, 3, 5)) == .waiting)

        bench.put(name(a, 3, 5), PlannerBench.valid(name(a, 3, 5), previous: "two"))
        bench.settle()
        #expect(bench.state(name(a, 3, 5)) == .applied)
    }

    /// The baseline ends where another segment ends.
    @Test func aSegmentThatGoesBeyondABaselineIsABranch() {
        var bench = PlannerBench()
        bench.planner.setPosition(WriterPosition(sequence: 1, lastHash: "one", wholeThrough: 0), of: a)
        bench.put(name(a, 1, 2))
        bench.settle()
        #expect(bench.planner.position(of: a).sequence == 1)
        #expect(bench.planner.branches.hasFiles(of: a))
    }

    @Test func theRestOfAPartlyAppliedSegmentComesFromTheSameBytes() {
        let unmet = SegmentOutline.UnmetDependencies(sequence: 2, needs: [b: 1])
        var bench = PlannerBench()
        bench.put(name(a, 1, 3), PlannerBench.valid(name(a, 1, 3), hash: "first", unmet: unmet))
        bench.settle()
        #expect(bench.planner.position(of: a).sequence == 1)
        // Another file replaces the waiting segment: it is a branch.
        bench.put(name(a, 1, 3), PlannerBench.valid(name(a, 1, 3), hash: "second"))
        bench.put(name(b, 1, 1))
        bench.settle()
        #expect(bench.appliedHashes(of: a) == ["second"])
        #expect(bench.planner.position(of: a).sequence == 1)
        // The first file returns.
        bench.put(name(a, 1, 3), PlannerBench.valid(name(a, 1, 3), hash: "first", unmet: unmet))
        bench.settle()
        #expect(bench.appliedHashes(of: a) == ["first", "second"])
        #expect(bench.planner.position(of: a).sequence == 3)
    }

    /// A file of the own writer that it has not written stops exports; it is no branch before the store is another writer.
    @Test func aContradictionOfAnOwnSegmentIsListedUntilTheFileIsRemoved() {
        var bench = PlannerBench()
        let own = PlannerBench.own
        var listing = WriterListing(writer: own)
        listing.applied = [SegmentBounds(first: 1, last: 1)]
        bench.planner.found(listing, wall: bench.wall)
        bench.planner.contradicted(name(own, 1, 1), reason: "Other hash.", wall: bench.wall)
        #expect(bench.status(name(own, 1, 1))?.state == .forked)
        #expect(bench.planner.counts(wall: bench.wall) == [.forked: 1])
        bench.planner.found(WriterListing(writer: own), wall: bench.wall)
        #expect(bench.status(name(own, 1, 1)) == nil)
    }
}
