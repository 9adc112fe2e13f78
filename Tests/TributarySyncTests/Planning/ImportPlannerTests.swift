import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

@Suite struct ImportPlannerTests {
    private let a = PlannerBench.a
    private let b = PlannerBench.b

    private func name(_ writer: UniqueID, _ first: UInt64, _ last: UInt64) -> SegmentName {
        PlannerBench.name(writer, first, last)
    }

    @Test func segmentsGoInSequenceWhateverTheOrderOfArrival() {
        var bench = PlannerBench()
        for first in [7, 1, 4] as [UInt64] { bench.put(name(a, first, first + 2)) }
        let until = bench.settle()
        #expect(until == nil)
        #expect(bench.applied == [name(a, 1, 3), name(a, 4, 6), name(a, 7, 9)])
        #expect(bench.planner.position(of: a).sequence == 9)
        #expect(bench.planner.counts(wall: bench.wall) == [.applied: 3])
    }

    @Test func theFollowingBatchIsKnownBeforeTheFirstIsApplied() {
        var bench = PlannerBench()
        bench.planner.limits.batchSegments = 2
        let names = (1...6).map { name(a, $0, $0) }
        for name in names { bench.put(name) }
        func verify(_ pending: [WriterListing.Pending]) {
            for file in pending {
                bench.planner.verified(file.id, file: file.file, as: PlannerBench.valid(file.id), wall: bench.wall)
            }
        }
        if case .verify(let pending) = bench.planner.next(wall: bench.wall) { verify(pending) }
        var runs: [ImportPlanner.Run] = []
        if case .apply(let found) = bench.planner.next(wall: bench.wall) { runs = found }
        #expect(runs.map(\.id) == Array(names[..<2]))
        let following = bench.planner.following(runs, wall: bench.wall)
        #expect(following.toRead.map(\.id) == Array(names[2..<4]) && following.runs.isEmpty)
        verify(following.toRead)
        #expect(bench.planner.following(runs, wall: bench.wall).runs.map(\.id) == Array(names[2..<4]))
    }

    @Test func aGapStopsWhatComesAfterItAndNamesWhatIsMissing() throws {
        var bench = PlannerBench()
        bench.put(name(a, 1, 2))
        bench.put(name(a, 5, 6))
        bench.settle(with: name(b, 1, 1))
        #expect(bench.applied == [name(a, 1, 2), name(b, 1, 1)])
        let status = try #require(bench.status(name(a, 5, 6)))
        #expect(status.state == .waiting)
        #expect(status.waitingFor == [.transactions(writer: a, from: 3, through: 4)])
        #expect(status.hint != nil)
        bench.settle(with: name(a, 3, 4))
        #expect(bench.planner.position(of: a).sequence == 6)
    }

    struct BadCase: CustomTestStringConvertible, Sendable {
        var result: VerificationResult
        var state: SegmentState
        var testDescription: String { state.rawValue }
    }

    @Test(arguments: [
        BadCase(result: .incomplete(reason: "no end", line: nil), state: .incomplete),
        BadCase(result: .bad(.damaged, reason: "hash", line: 3), state: .damaged),
        BadCase(result: .bad(.rejected, reason: "NaN", line: 4), state: .rejected),
        BadCase(result: .unreadable(reason: "permission"), state: .rejected),
        BadCase(
            result: PlannerBench.valid(
                PlannerBench.name(PlannerBench.a, 1, 1),
                clock: WallTime(milliseconds: .max >> 17)
            ),
            state: .held
        ),
        BadCase(result: PlannerBench.valid(PlannerBench.name(PlannerBench.a, 1, 1), blobs: ["x"]), state: .waiting),
    ])
    func aBadSegmentStopsOnlyItsOwnWriter(_ test: BadCase) throws {
        var bench = PlannerBench()
        bench.put(name(a, 1, 1), test.result)
        bench.put(name(a, 2, 2))
        bench.settle(with: name(b, 1, 1))
        #expect(bench.applied == [name(b, 1, 1)])
        #expect(bench.state(name(a, 1, 1)) == test.state)
        let behind = try #require(bench.status(name(a, 2, 2)))
        #expect(behind.state == .waiting)
        #expect(behind.waitingFor == [.transactions(writer: a, from: 1, through: 1)])
        // The planner has a replaced file read again.
        bench.settle(with: name(a, 1, 1))
        #expect(bench.planner.position(of: a).sequence == 2)
    }

    @Test func anIncompleteSegmentCountsAsDamagedAfterTheGraceAndIsTakenWhenItComesWhole() throws {
        var bench = PlannerBench()
        let grace = bench.settle(with: name(a, 1, 1), .incomplete(reason: "No end line.", line: 2))
        #expect(grace == PlannerBench.wall.later(by: .milliseconds(60_000)))
        #expect(bench.state(name(a, 1, 1)) == .incomplete)
        bench.wall = bench.wall.later(by: .milliseconds(59_999))
        #expect(bench.state(name(a, 1, 1)) == .incomplete)
        bench.wall = bench.wall.later(by: .milliseconds(1))
        let late = bench.settle()
        #expect(late == nil)
        let status = try #require(bench.status(name(a, 1, 1)))
        #expect(status.state == .damaged)
        #expect(status.line == 2)
        #expect(status.hint?.contains("segment retry") == true)
        // Nobody can bring a file that its writer never wrote.
        let hint = "Look at the status of the writer's machine. If it reports name-taken with the command to remove "
        #expect(status.hint?.hasPrefix(hint) == true)
        // The grace begins anew while the file still grows.
        bench.settle(with: name(a, 1, 1), .incomplete(reason: "No end line.", line: 3))
        #expect(bench.state(name(a, 1, 1)) == .incomplete)
        bench.settle(with: name(a, 1, 1))
        #expect(bench.state(name(a, 1, 1)) == .applied)
    }

    @Test func aSegmentThatHasGrownWithoutAnEventIsNotDamaged() {
        var bench = PlannerBench()
        let id = name(a, 1, 1)
        bench.settle(with: id, .incomplete(reason: "No end line.", line: 2))
        bench.wall = bench.wall.later(by: .milliseconds(60_000))
        // The file that was read is not the file that was listed.
        bench.content[id] = .changed
        bench.settle()
        #expect(bench.state(id) != .damaged && bench.verified == [id, id])
        bench.put(id, .incomplete(reason: "No end line.", line: 9))
        #expect(bench.settle() == bench.wall.later(by: .milliseconds(60_000)))
        bench.wall = bench.wall.later(by: .milliseconds(59_999))
        bench.settle()
        #expect(bench.state(id) == .incomplete && bench.verified.count == 3)
    }

    @Test func anIncompleteSegmentThatHasNotGrownIsReadOnceMoreAndNotAgain() {
        var bench = PlannerBench()
        let id = name(a, 1, 1)
        bench.settle(with: id, .incomplete(reason: "No end line.", line: 2))
        for _ in 0..<3 {
            bench.wall = bench.wall.later(by: .milliseconds(60_000))
            #expect(bench.settle() == nil)
            #expect(bench.state(id) == .damaged)
        }
        #expect(bench.verified == [id, id])
    }

    @Test func aClockTooFarAheadIsHeldUntilItsTimeOrUntilItIsAccepted() throws {
        var bench = PlannerBench()
        let segment = name(a, 1, 1)
        let release = bench.settle(
            with: segment,
            PlannerBench.valid(segment, clock: PlannerBench.wall.later(by: .milliseconds(3_605_000)))
        )
        #expect(release == PlannerBench.wall.later(by: .milliseconds(5_000)))
        let status = try #require(bench.status(segment))
        #expect(status.state == .held)
        #expect(status.reason.contains("60 minutes") && status.reason.contains(a.description))
        #expect(status.hint?.contains("segment accept") == true)
        #expect(bench.planner.position(of: a).sequence == 0)

        var accepting = bench
        let accepted = accepting.planner.accept(segment)
        #expect(accepted == segment.path)
        accepting.settle()
        #expect(accepting.state(segment) == .applied)

        bench.wall = bench.wall.later(by: .milliseconds(5_000))
        bench.settle()
        #expect(bench.state(segment) == .applied)
    }

    @Test func aTransactionWaitsForWhatItHasSeenAndThoseBeforeItDoNot() throws {
        var bench = PlannerBench()
        let segment = name(b, 1, 4)
        let unmet = SegmentSummary.UnmetDependencies(sequence: 3, needs: [a: 2])
        bench.settle(with: segment, PlannerBench.valid(segment, unmet: unmet))
        #expect(bench.planner.position(of: b).sequence == 2)
        let status = try #require(bench.status(segment))
        #expect(status.state == .waiting)
        #expect(status.waitingFor == [.transactions(writer: a, from: 1, through: 2)])
        bench.settle(with: name(a, 1, 1))
        #expect(bench.status(segment)?.waitingFor == [.transactions(writer: a, from: 2, through: 2)])
        bench.settle(with: name(a, 2, 2))
        #expect(bench.planner.position(of: b).sequence == 4)
    }

    @Test func whatWaitsForAHeldSegmentLeadsToIt() throws {
        var bench = PlannerBench()
        let held = name(a, 1, 2)
        bench.settle(with: held, PlannerBench.valid(held, clock: PlannerBench.wall.later(by: .seconds(7_200))))
        let (first, follower) = (name(b, 1, 1), name(UniqueID(high: 3, low: 3), 1, 1))
        let unmet = SegmentSummary.UnmetDependencies(sequence: 1, needs: [a: 2])
        bench.settle(with: first, PlannerBench.valid(first, unmet: unmet))
        let predecessor = Incarnation.Predecessor(writer: a, sequence: 2)
        bench.settle(with: follower, PlannerBench.valid(follower, after: predecessor))
        for waiting in [first, follower] {
            let hint = try #require(bench.status(waiting)?.hint)
            #expect(hint.hasSuffix("tributaryctl segment explain \(held.path)") && !hint.contains("abandon"), "\(hint)")
        }
    }

    @Test func twoWritersThatWaitForEachOthersTransactionsInOneSegmentEachDoNotBlock() {
        var bench = PlannerBench()
        // Writer a has transaction 1, and 2 after b's 1; writer b has 1 after a's 1, and 2. Whole segments would wait
        // for each other.
        let ofA = name(a, 1, 2)
        let ofB = name(b, 1, 2)
        bench.put(ofA, PlannerBench.valid(ofA, unmet: SegmentSummary.UnmetDependencies(sequence: 2, needs: [b: 1])))
        bench.settle(
            with: ofB,
            PlannerBench.valid(ofB, unmet: SegmentSummary.UnmetDependencies(sequence: 1, needs: [a: 1]))
        )
        #expect(bench.state(ofA) == .applied)
        #expect(bench.state(ofB) == .applied)
    }

    @Test func nobodyWaitsForAnAbandonedWriterNorForWhatTheStoreHasWrittenItself() {
        var bench = PlannerBench()
        let lost = name(b, 1, 1)
        bench.settle(
            with: lost,
            PlannerBench.valid(lost, unmet: SegmentSummary.UnmetDependencies(sequence: 1, needs: [a: 9]))
        )
        #expect(bench.state(lost) == .waiting)
        bench.planner.abandoned = [a]
        bench.settle()
        #expect(bench.state(lost) == .applied)

        let own = PlannerBench.own
        let answer = name(b, 2, 2)
        bench.put(
            answer,
            PlannerBench.valid(answer, unmet: SegmentSummary.UnmetDependencies(sequence: 2, needs: [own: 3]))
        )
        bench.settle()
        #expect(bench.state(answer) == .waiting)
        bench.planner.setPosition(WriterPosition(sequence: 3), of: own)
        bench.settle()
        #expect(bench.state(answer) == .applied)
    }

    /// An older copy of the store was put in its place: what it has published since is anybody's.
    @Test func ownSegmentsBeyondThePositionAreImported() {
        var bench = PlannerBench()
        let own = PlannerBench.own
        bench.planner.setPosition(WriterPosition(sequence: 2), of: own)
        bench.put(name(own, 1, 2))
        bench.settle(with: name(own, 2, 4))
        #expect(bench.applied == [name(own, 2, 4)])
    }

    @Test func segmentsAtOrBelowThePositionAreNotRead() {
        var bench = PlannerBench()
        bench.planner.setPosition(WriterPosition(sequence: 4), of: a)
        bench.put(name(a, 1, 2))
        bench.put(name(a, 3, 4))
        bench.settle(with: name(a, 5, 5))
        #expect(bench.verified == [name(a, 5, 5)])
        #expect(bench.applied == [name(a, 5, 5)])
    }

    @Test func blobsAreWaitedFor() throws {
        var bench = PlannerBench()
        let segment = name(a, 1, 1)
        bench.settle(with: segment, PlannerBench.valid(segment, blobs: ["ab"]))
        #expect(bench.status(segment)?.waitingFor == [.blob(writer: a, sha256: "ab")])
        #expect(bench.planner.missingBlobs == [segment: ["ab"]])
        bench.content[segment] = PlannerBench.valid(segment)
        let isKnown = bench.planner.retry(segment)
        #expect(isKnown)
        bench.settle()
        #expect(bench.state(segment) == .applied)
    }

    @Test func smallSegmentsAreAppliedTogetherUpToTheLimit() {
        var bench = PlannerBench()
        bench.planner.limits.batchChanges = 100
        for first in 1...500 as ClosedRange<UInt64> { bench.put(name(a, first, first)) }
        bench.settle()
        #expect(bench.planner.position(of: a).sequence == 500)
        // Each segment counts two: the transaction and its change.
        #expect(bench.batches == 10)
    }

    @Test func aSegmentThatWasReadIsNotReadAgainAtTheNextScan() {
        var bench = PlannerBench()
        bench.settle(with: name(a, 5, 5))
        bench.scan(a)
        bench.settle()
        #expect(bench.verified == [name(a, 5, 5)])
        let isKnown = bench.planner.retry(name(a, 5, 5))
        #expect(isKnown)
        bench.settle()
        #expect(bench.verified.count == 2)
    }

    @Test func aFileThatReplacesAWaitingOneIsRead() {
        var bench = PlannerBench()
        let (first, second) = (name(a, 5, 5), name(a, 6, 6))
        for name in [first, second] { bench.settle(with: name) }
        var change = ListingChange(writer: a)
        change.names = [first]
        let file = FileIdentity(FileAttributes(inode: 99, size: 100))
        change.pending = [WriterListing.Pending(id: first, file: file)]
        bench.planner.found(change, wall: bench.wall)
        bench.settle()
        #expect(bench.verified == [first, second, first])
    }

    @Test func segmentsThatWaitAreReadTogether() {
        var bench = PlannerBench()
        let names = (2...9).map { name(a, $0, $0) }
        for name in names { bench.put(name) }
        guard case .verify(let pending) = bench.planner.next(wall: bench.wall) else {
            Issue.record("nothing is read")
            return
        }
        #expect(pending.map(\.id) == names)
    }

    @Test func unusableFilesAreListedAndNamedAsTheReasonOfTheGap() throws {
        var bench = PlannerBench()
        let pipe = name(a, 1, 1)
        bench.unusableFiles[a] = [
            WriterListing.UnusableFile(
                id: pipe,
                fileName: pipe.fileName,
                state: .rejected,
                reason: "A pipe.",
                hint: "Remove it."
            )
        ]
        bench.settle(with: name(a, 2, 2))
        #expect(bench.state(pipe) == .rejected)
        #expect(bench.status(name(a, 2, 2))?.reason.contains(pipe.fileName) == true)
    }

    @Test func statesAreAnnouncedOnceAndWhenTheyChange() {
        var bench = PlannerBench()
        bench.settle(with: name(a, 2, 2))
        let first = bench.planner.announce(wall: bench.wall)
        let second = bench.planner.announce(wall: bench.wall)
        #expect(first.map(\.state) == [.waiting])
        #expect(second.isEmpty)
        bench.settle(with: name(a, 2, 2), .bad(.damaged, reason: "hash", line: nil))
        bench.wall = bench.wall.later(by: .milliseconds(1))
        let news = bench.planner.announce(wall: bench.wall)
        #expect(news.map(\.state) == [.damaged])
        #expect(news.first?.since == bench.wall)
    }

    // MARK: Segments of one writer with any bounds

    @Test func segmentsThatOverlapAreAppliedInAnyOrderOfArrival() {
        var generator = SeededGenerator.printingSeed()
        for round in 0..<300 {
            var bench = PlannerBench()
            var names: Set<SegmentName> = []
            // Bounds of two programs that cut the same transactions, each its own way.
            for _ in 0..<2 {
                var first: UInt64 = 1
                while first <= 12 {
                    let last = min(12, first + UInt64.random(in: 0...5, using: &generator))
                    names.insert(name(a, first, last))
                    first = last + 1
                }
            }
            for name in names.shuffled(using: &generator) {
                bench.put(name)
                if generator.next() % 4 == 0 { bench.put(copyOf: name) }
                if generator.next() % 2 == 0 { bench.settle() }
            }
            bench.settle()
            bench.scan(a)
            let text = "seed \(generator.seed), round \(round): \(bench.planner.statuses(wall: bench.wall))"
            #expect(bench.planner.position(of: a).sequence == 12, "\(text)")
            #expect(bench.planner.counts(wall: bench.wall) == [.applied: names.count], "\(text)")
            #expect(Set(bench.applied).count == bench.applied.count, "\(text)")
            #expect(Set(bench.compared).count == bench.compared.count, "\(text)")
        }
    }

    @Test func theSegmentThatReachesFurthestIsApplied() {
        var bench = PlannerBench()
        for last in 1...5 as ClosedRange<UInt64> { bench.put(name(a, 1, last)) }
        bench.put(name(a, 2, 4))
        bench.settle()
        #expect(bench.applied == [name(a, 1, 5)])
        // Each of them is read once, and the others are compared.
        #expect(bench.verified.count == Set(bench.verified).count)
        #expect(bench.compared.count == 5)
    }

    @Test func aSegmentOfWhichAPartIsAppliedGoesOn() {
        var bench = PlannerBench()
        let unmet = SegmentSummary.UnmetDependencies(sequence: 3, needs: [b: 1])
        bench.settle(with: name(a, 1, 4), PlannerBench.valid(name(a, 1, 4), unmet: unmet))
        bench.put(name(a, 3, 5), PlannerBench.valid(name(a, 3, 5), unmet: unmet))
        bench.settle(with: name(b, 1, 1))
        #expect(bench.applied == [name(b, 1, 1), name(a, 1, 4), name(a, 3, 5)])
        // What is applied in part needs no comparison; the other one is read again when the position is past its first.
        #expect(bench.verified.count { $0 == name(a, 1, 4) } == 1)
        #expect(bench.verified.count { $0 == name(a, 3, 5) } == 2)
    }

    @Test func aWriterFollowsWhatItGoesOnFromEvenWhenThatIsAbandoned() throws {
        var bench = PlannerBench()
        let after = Incarnation.Predecessor(writer: a, sequence: 2)
        bench.put(name(b, 1, 2), PlannerBench.valid(name(b, 1, 2), after: after))
        bench.settle(with: name(a, 1, 1))
        bench.planner.abandoned = [a]
        bench.settle()
        let status = try #require(bench.status(name(b, 1, 2)))
        #expect(status.state == .waiting)
        #expect(status.waitingFor == [.transactions(writer: a, from: 2, through: 2)])
        #expect(status.hint?.contains("abandon") == false && status.reason.contains("continues \(a)"))
        #expect(bench.planner.gaps(wall: bench.wall).map(\.id) == [name(b, 1, 2)])
        bench.settle(with: name(a, 2, 2))
        #expect(bench.planner.position(of: b).sequence == 2)
    }

    /// A baseline of the store covers what the writer goes on from, and more of the writer itself.
    @Test func onlyTheFirstTransactionFollows() {
        var bench = PlannerBench()
        bench.planner.setPosition(WriterPosition(sequence: 1), of: b)
        let after = Incarnation.Predecessor(writer: a, sequence: 2)
        bench.settle(with: name(b, 1, 2), PlannerBench.valid(name(b, 1, 2), after: after))
        #expect(bench.planner.position(of: b).sequence == 2)
    }

    @Test func otherContentBlocksOnlyWhatFollowsIt() throws {
        var bench = PlannerBench()
        bench.settle(with: name(a, 1, 3))
        bench.others[name(a, 2, 5).path] = 3
        bench.put(name(a, 2, 5))
        bench.put(name(a, 6, 6))
        bench.settle(with: name(b, 1, 1))
        #expect(bench.applied == [name(a, 1, 3), name(b, 1, 1)])
        let status = try #require(bench.status(name(a, 2, 5)))
        #expect(status.state == .forked && status.reason.contains("transaction 3"))
        #expect(status.hint?.contains(a.description) == true)
        #expect(bench.state(name(a, 6, 6)) == .waiting && bench.planner.forkedWriters == [a])
        // The right one goes on.
        bench.settle(with: name(a, 4, 5))
        #expect(bench.planner.position(of: a).sequence == 6)
        #expect(bench.status(name(a, 2, 5))?.state == .forked)
    }

    /// A file with other content that comes late is told as well, without being applied.
    @Test func aSegmentThatIsCoveredIsCompared() throws {
        var bench = PlannerBench()
        bench.others[name(a, 2, 2).path] = 2
        bench.put(name(a, 1, 3))
        bench.put(name(a, 2, 2))
        bench.settle(with: name(a, 3, 3))
        #expect(bench.applied == [name(a, 1, 3)])
        #expect(bench.compared.map(\.id).sorted() == [name(a, 2, 2), name(a, 3, 3)])
        #expect(bench.planner.counts(wall: bench.wall)[.forked] == 1)
        let isKnown = bench.planner.retry(name(a, 2, 2))
        #expect(isKnown)
        bench.others = [:]
        bench.settle()
        #expect(bench.planner.counts(wall: bench.wall)[.forked] == nil && bench.planner.forkedWriters.isEmpty)
    }

    @Test func aConflictCopyIsComparedWhenThePositionCoversIt() {
        var bench = PlannerBench()
        let equal = bench.put(copyOf: name(a, 2, 3))
        let other = bench.put(copyOf: name(a, 2, 3), other: 3)
        bench.settle(with: name(a, 1, 2))
        #expect(bench.compared.isEmpty && bench.planner.counts(wall: bench.wall) == [.applied: 1])
        bench.settle(with: name(a, 3, 3))
        bench.scan(a)
        bench.settle()
        #expect(Set(bench.compared) == [equal, other] && bench.compared.count == 2)
        let forked = bench.planner.statuses(wall: bench.wall).filter { $0.state == .forked }
        #expect(forked.map(\.file) == [other.path])
        // It is gone when the file is.
        bench.unusableFiles[a] = []
        bench.scan(a)
        #expect(bench.planner.forkedWriters.isEmpty)
    }
}
