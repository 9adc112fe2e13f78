import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// Plain facts decide which verified baseline a store joins, when, and what a baseline that is not joined keeps out.
@Suite struct PlannedBaselinesTests {
    private static let (a, b, c) = (CompactionRuleTests.a, CompactionRuleTests.b, CompactionRuleTests.c)
    private static let wall = WallTime(milliseconds: 1_000)

    private static func baseline(_ writer: UniqueID, _ vector: [UniqueID: UInt64]) -> KnownBaseline {
        CompactionRuleTests.baseline(writer, vector)
    }

    private static func known(_ verified: [KnownBaseline], unverified: [KnownBaseline] = []) -> KnownBaselines {
        KnownBaselines(verified + unverified).endorsing(verified)
    }

    private static func refusal(_ reason: String, retry: WallTime? = nil) -> PlannedBaselines.Refusal {
        PlannedBaselines.Refusal(reason: reason, hint: "now with: tributaryctl sync", retry: retry)
    }

    private static func next(
        _ planned: inout PlannedBaselines,
        _ positions: [UniqueID: UInt64],
        missing: Bool = true,
        gone: Bool = false,
        isBeginning: Bool = false,
        at milliseconds: UInt64 = 0
    ) -> PlannedBaselines.Decision {
        planned.next(
            positions.mapValues { WriterPosition(sequence: $0) },
            isBeginning: isBeginning,
            isMissing: { _, _ in missing },
            isGone: { _, _ in gone },
            wall: WallTime(milliseconds: milliseconds),
            .seconds(60)
        )
    }

    @Test func aNewStoreBeginsWithTheGreatestBaseline() {
        var planned = PlannedBaselines()
        #expect(Self.next(&planned, [Self.b: 0]) == .nothing)
        let (small, great) = (Self.baseline(Self.a, [Self.a: 4]), Self.baseline(Self.a, [Self.a: 8, Self.c: 1]))
        planned.set(Self.known([great, small]))
        #expect(Self.next(&planned, [Self.b: 0], isBeginning: true) == .join(great))
        planned.refuse(great, Self.refusal("damaged"))
        #expect(Self.next(&planned, [Self.b: 0], isBeginning: true) == .join(small))
        // It needs none while all segments are there.
        #expect(Self.next(&planned, [Self.b: 0], missing: false, isBeginning: true) == .nothing)
        // One with later own transactions has what this store was before it was set back.
        let newer = Self.baseline(Self.a, [Self.a: 9, Self.b: 1])
        planned.set(Self.known([newer]))
        #expect(Self.next(&planned, [Self.b: 0], isBeginning: true) == .join(newer))
    }

    @Test func aRunningStoreJoinsWhenSegmentsStayMissing() {
        var planned = PlannedBaselines()
        let baseline = Self.baseline(Self.a, [Self.a: 8])
        planned.set(Self.known([baseline]))
        let positions = [Self.a: UInt64(3), Self.b: 2]
        #expect(Self.next(&planned, positions, missing: false) == .nothing)
        let due = WallTime(milliseconds: 61_000)
        #expect(Self.next(&planned, positions, at: 1_000) == .wait(until: due))
        // What its store has removed does not come any more.
        #expect(Self.next(&planned, positions, gone: true, at: 1_001) == .join(baseline))
        #expect(Self.next(&planned, positions, at: 60_999) == .wait(until: due))
        // The segments have come, and are missing again.
        #expect(Self.next(&planned, positions, missing: false, at: 60_999) == .nothing)
        #expect(Self.next(&planned, positions, at: 61_000) == .wait(until: WallTime(milliseconds: 121_000)))
        #expect(Self.next(&planned, positions, at: 121_000) == .join(baseline))
        planned.refuse(baseline, Self.refusal("blobs", retry: WallTime(milliseconds: 130_000)))
        #expect(Self.next(&planned, positions, at: 121_000) == .wait(until: WallTime(milliseconds: 130_000)))
        #expect(Self.next(&planned, positions, at: 130_000) == .join(baseline))
        #expect(Self.next(&planned, [Self.a: 8, Self.b: 2], at: 130_000) == .nothing)
    }

    /// Each of two baselines has more of one writer, whose segments are gone.
    @Test func aNewStoreJoinsBothOfTwoBaselinesThatCross() {
        var planned = PlannedBaselines()
        let first = Self.baseline(Self.a, [Self.a: 10, Self.c: 5])
        let second = Self.baseline(Self.c, [Self.a: 7, Self.c: 6])
        planned.set(Self.known([first, second]))
        #expect(Self.next(&planned, [Self.b: 0], isBeginning: true) == .join(first))
        let positions = [Self.a: UInt64(10), Self.b: 0, Self.c: 5]
        // The folder has earlier segments of the writer: it may get the missing one as well.
        #expect(Self.next(&planned, positions) == .wait(until: WallTime(milliseconds: 60_000)))
        #expect(planned.waiting?.baseline == second.name && planned.waiting?.refusal == nil)
        #expect(Self.next(&planned, positions, gone: true, at: 1) == .join(second))
        planned.refuse(second, Self.refusal("blobs", retry: WallTime(milliseconds: 30_000)))
        #expect(Self.next(&planned, positions, gone: true, at: 2) == .wait(until: WallTime(milliseconds: 30_000)))
        #expect(planned.waiting?.refusal?.reason == "blobs")
        #expect(Self.next(&planned, positions, gone: true, at: 30_000) == .join(second))
        #expect(Self.next(&planned, [Self.a: 10, Self.b: 0, Self.c: 6], gone: true, at: 30_001) == .nothing)
    }

    @Test(arguments: [0, 1] as [UInt64])
    func theFolderTellsWhetherMissingSegmentsMayCome(earlier: UInt64) {
        let (own, a, c) = (PlannerBench.own, PlannerBench.a, PlannerBench.b)
        var planner = ImportPlanner(own: own, limits: SyncConfiguration(logs: "/logs").limits)
        planner.baselines.set(Self.known([Self.baseline(a, [a: 10, c: 5]), Self.baseline(c, [a: 7, c: 6])]))
        // An applied file that lies below both baselines, and a segment that comes after them.
        var listing = WriterListing(writer: c)
        listing.applied = (1..<(1 + earlier)).map { SegmentBounds(first: $0, last: $0) }
        let after = PlannerBench.name(c, 7, 7)
        listing.pending = [WriterListing.Pending(id: after, file: FileIdentity(FileAttributes(inode: 7, size: 100)))]
        planner.found(listing, wall: PlannerBench.wall)
        planner.found(WriterListing(writer: a), wall: PlannerBench.wall)
        guard case .join(let first) = planner.next(wall: PlannerBench.wall) else {
            Issue.record("no baseline is joined")
            return
        }
        for (writer, sequence) in first.vector.entries {
            planner.setPosition(WriterPosition(sequence: sequence), of: writer)
        }
        let next = planner.next(wall: PlannerBench.wall)
        if case .join(let second) = next {
            #expect(earlier == 0 && second.vector[c] == 6)
        } else {
            #expect(earlier == 1, "\(next)")
        }
    }

    /// A whole copy may still come; when none comes, the baseline has the transactions.
    @Test func aSegmentThatCannotBeAppliedIsMissing() {
        let a = PlannerBench.a
        let baseline = Self.baseline(Self.c, [Self.c: 1, a: 1])
        let cases: [(VerificationResult, isMissing: Bool)] = [
            (.bad(.damaged, reason: "hash", line: 3), true), (.bad(.rejected, reason: "NaN", line: 4), true),
            (.incomplete(reason: "no end", line: nil), true), (.bad(.forked, reason: "other", line: nil), false),
            (.unreadable(reason: "permission"), false),
        ]
        for (result, isMissing) in cases {
            var bench = PlannerBench()
            bench.planner.baselines.set(Self.known([baseline]))
            bench.planner.setPosition(WriterPosition(sequence: 1), of: Self.c)
            bench.put(PlannerBench.name(a, 1, 1), result)
            bench.settle()
            // The wait begins when an incomplete segment has not grown for as long.
            var joined: KnownBaseline?
            for _ in 1...6 where joined == nil {
                switch bench.planner.next(wall: bench.wall) {
                case .verify(let files):
                    for file in files {
                        bench.planner.verified(file.id, file: file.file, as: result, wall: bench.wall)
                    }
                case .join(let found): joined = found
                case .apply, .wait: bench.wall = bench.wall.later(by: .seconds(61))
                }
            }
            #expect((joined == baseline) == isMissing, "\(result)")
        }
    }

    @Test func aBaselineThatDoesNotCountKeepsOutWhatNothingElseHas() {
        let (own, a) = (PlannerBench.own, PlannerBench.a)
        let planner = ImportPlanner(own: own, limits: SyncConfiguration(logs: "/logs").limits)
        var state = SyncState(configuration: SyncConfiguration(logs: "/logs"), planner: planner)
        let name = BaselineName(writer: a, sequence: 3)
        let refusal = KnownBaselines.Refusal(reason: "broken", isIncomplete: false, since: Self.wall)
        let baseline = Self.baseline(a, [a: 3])
        let compared = BaselineComparison.Name(writer: Self.c, of: baseline.name)
        let objection = BaselineComparison(compared, sha256: baseline.sha256, difference: "line 3")
        let cases: [(KnownBaselines, Problem.Code, Problem.Code)] = [
            (KnownBaselines(refused: [name: refusal]), .baselineRefused, .baselinesDiffer),
            (KnownBaselines([baseline], [objection]), .baselinesDiffer, .baselineRefused),
        ]
        for (knownBaselines, code, other) in cases {
            state.found(knownBaselines, wall: Self.wall)
            state.planner.setPosition(WriterPosition(sequence: 2), of: a)
            #expect(state.status(wall: Self.wall).problems.map(\.code) == [code])
            #expect(state.idleBaselineProblems(at: Self.wall) == [other])
            state.planner.setPosition(WriterPosition(sequence: 3), of: a)
            #expect(state.status(wall: Self.wall).problems.map(\.code) == [code])
            #expect(state.idleBaselineProblems(at: Self.wall) == [code, other])
            state = SyncState(configuration: state.configuration, planner: planner)
        }
    }

    /// A difference is shown on both machines that have it, and on all while no other store endorses the baseline.
    @Test(arguments: [false, true]) func aDifferenceIsShownOnBothSides(isEndorsed: Bool) {
        let baseline = Self.baseline(Self.a, [Self.a: 3])
        func found(_ writer: UniqueID, _ difference: String? = nil) -> BaselineComparison {
            let name = BaselineComparison.Name(writer: writer, of: baseline.name)
            return BaselineComparison(name, sha256: baseline.sha256, difference: difference)
        }
        let comparisons = [found(Self.c, "line 3")] + (isEndorsed ? [found(Self.b)] : [])
        let configuration = SyncConfiguration(logs: "/logs")
        for (own, isShown) in [(Self.a, true), (Self.b, !isEndorsed), (Self.c, true)] {
            let planner = ImportPlanner(own: own, limits: configuration.limits)
            var state = SyncState(configuration: configuration, planner: planner)
            state.found(KnownBaselines([baseline], comparisons), wall: Self.wall)
            #expect(state.problems.contains(.baselinesDiffer) == isShown, "\(own)")
        }
    }

    /// Transactions that a baseline has are not given up, whether the baseline is verified, unverified or refused.
    @Test func missingTransactionsAreGivenUpOnlyWithoutABaseline() {
        let (own, a) = (PlannerBench.own, PlannerBench.a)
        var planner = ImportPlanner(own: own, limits: SyncConfiguration(logs: "/logs").limits)
        let abandon = "tributaryctl writer abandon \(a)"
        #expect(planner.remedy(forMissing: 3, of: a).hasSuffix(abandon))
        let baseline = Self.baseline(Self.c, [Self.c: 5, a: 3])
        planner.baselines.set(KnownBaselines([baseline]))
        let accept = "tributaryctl baseline accept \(baseline.name.path)"
        #expect(planner.remedy(forMissing: 3, of: a).contains("\(accept); or on the machine"))
        #expect(planner.remedy(forMissing: 4, of: a).hasSuffix(abandon))
        planner.baselines.set(Self.known([baseline]))
        let verified = planner.remedy(forMissing: 3, of: a)
        #expect(verified.contains(baseline.name.path) && verified.contains("tributaryctl status; or"), "\(verified)")
        // Without its lines, a baseline has what its name says; with them, what they say.
        var refusal = KnownBaselines.Refusal(reason: "broken", isIncomplete: false, since: Self.wall)
        planner.baselines.set(KnownBaselines(refused: [BaselineName(writer: a, sequence: 3): refusal]))
        #expect(planner.remedy(forMissing: 3, of: a).contains("cannot be used: broken."))
        #expect(planner.remedy(forMissing: 4, of: a).hasSuffix(abandon))
        refusal.vector = baseline.vector
        planner.baselines.set(KnownBaselines(refused: [baseline.name: refusal]))
        #expect(!planner.remedy(forMissing: 3, of: a).contains("abandon"))
    }

    /// A baseline that no store has verified is offered when nothing else has its transactions.
    @Test func anUnverifiedBaselineIsOffered() {
        var planned = PlannedBaselines()
        let (verified, open) = (Self.baseline(Self.a, [Self.a: 5]), Self.baseline(Self.a, [Self.a: 8]))
        planned.set(Self.known([], unverified: [open]))
        #expect(Self.next(&planned, [Self.a: 5], missing: false) == .nothing && planned.offered == nil)
        #expect(Self.next(&planned, [Self.a: 5], at: 7) == .nothing)
        #expect(planned.offered == .init(baseline: open.name, since: WallTime(milliseconds: 7)))
        // The time stays.
        #expect(Self.next(&planned, [Self.a: 5], at: 9) == .nothing)
        #expect(planned.offered?.since == WallTime(milliseconds: 7))
        // A verified one comes first.
        planned.set(Self.known([verified], unverified: [open]))
        #expect(Self.next(&planned, [Self.a: 4], gone: true, at: 10) == .join(verified) && planned.offered == nil)
        #expect(Self.next(&planned, [Self.a: 5], at: 11) == .nothing && planned.offered?.baseline == open.name)
        // Once it is accepted, it has waited already.
        planned.set(Self.known([open, verified]))
        #expect(Self.next(&planned, [Self.a: 5], at: 60_010) == .wait(until: WallTime(milliseconds: 60_011)))
        #expect(Self.next(&planned, [Self.a: 5], at: 60_011) == .join(open))
        #expect(Self.next(&planned, [Self.a: 8], at: 60_012) == .nothing && planned.offered == nil)
    }

    @Test func aBaselineThatIsAheadNamesTheClockAndTheRemedy() {
        var planned = PlannedBaselines()
        let baseline = Self.baseline(Self.a, [Self.a: 8])
        planned.set(Self.known([baseline]))
        let refusal = PlannedBaselines.Refusal.clockAhead(Self.c, by: .seconds(7_200), retry: Self.wall)
        planned.refuse(baseline, refusal)
        #expect(Self.next(&planned, [Self.b: 0], isBeginning: true) == .wait(until: Self.wall))
        let problem = planned.waiting.map(Problem.baselineWaits)
        #expect(problem?.writer == Self.c)
        #expect(problem?.detail.contains("\(Self.c) in it is 2 hours ahead") == true, "\(problem?.detail ?? "")")
        #expect(problem?.hint?.contains("set it right") == true && problem?.hint?.contains("7200s") == true)
        #expect(problem?.hint?.hasSuffix("tributaryctl sync") == true)
    }
}
