import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Plain facts decide which baselines are cut, verified and joined, and which files are removed.
@Suite struct CompactionRuleTests {
    static let (a, b, c) = (id(1), id(2), id(3))

    private static func id(_ low: UInt64) -> UniqueID { UniqueID(high: 0x5f0c_0000_0000_7000, low: low) }

    /// A baseline that its writer has cut at its own position.
    static func baseline(
        _ writer: UniqueID,
        _ vector: [UniqueID: UInt64],
        hash: String = "h",
        model: String = "m"
    ) -> KnownBaseline {
        KnownBaseline(
            name: BaselineName(writer: writer, sequence: vector[writer] ?? 0),
            modelHash: model,
            vector: VersionVector(vector),
            sha256: hash,
            bytes: 100
        )
    }

    private static func record(
        _ writer: UniqueID,
        _ sequence: UInt64,
        seen: [UniqueID: UInt64] = [:],
        isSelf: Bool = false,
        state: WriterState? = nil
    ) -> WriterRecord {
        WriterRecord(
            id: writer,
            name: nil,
            sequence: sequence,
            clock: .zero,
            lastSegmentHash: nil,
            seen: VersionVector(seen),
            isSelf: isSelf,
            state: state
        )
    }

    /// Baselines, of each of which a writer has found that it is right, or a difference.
    private static func knownBaselines(
        _ baselines: [KnownBaseline],
        endorsedBy writer: UniqueID? = nil,
        objected objector: UniqueID? = nil
    ) -> KnownBaselines {
        let found = [(writer, String?.none), (objector, "line 3")].flatMap { writer, difference in
            baselines.compactMap { baseline in writer.map { comparison(of: baseline, by: $0, difference) } }
        }
        return KnownBaselines(baselines, found)
    }

    private static func comparison(
        of baseline: KnownBaseline,
        by writer: UniqueID,
        _ difference: String? = nil
    ) -> BaselineComparison {
        let name = BaselineComparison.Name(writer: writer, of: baseline.name)
        return BaselineComparison(name, sha256: baseline.sha256, difference: difference)
    }

    /// Writer a with 10 transactions, of which b has acknowledged 8; a producer c.
    private static func facts(_ knownBaselines: KnownBaselines = KnownBaselines(), own: UniqueID = a) -> CompactionFacts
    {
        CompactionFacts(
            own: own,
            store: own,
            owner: own,
            modelHash: "m",
            writers: [
                record(a, 10, seen: [b: 5], isSelf: own == a), record(b, 5, seen: [a: 8], isSelf: own == b),
                record(c, 3),
            ],
            knownBaselines: knownBaselines,
            segments: [(1, 4), (5, 8), (9, 10)].map { first, last in
                CompactionFacts.OwnSegment(
                    name: SegmentName(writer: a, first: first, last: last),
                    bytes: 60,
                    since: WallTime(milliseconds: 1_000)
                )
            },
            keep: .seconds(1),
            wall: WallTime(milliseconds: 5_000)
        )
    }

    /// The facts when a verified baseline has what writer b has acknowledged.
    private static func coveredFacts() -> CompactionFacts {
        facts(knownBaselines([baseline(a, [a: 8, b: 5])], endorsedBy: b))
    }

    // MARK: Verified baselines

    @Test func anEndorsementVerifiesABaseline() {
        let first = Self.baseline(Self.a, [Self.a: 10, Self.b: 5])
        #expect(KnownBaselines([first]).verified.isEmpty)
        let endorsed = Self.knownBaselines([first], endorsedBy: Self.b)
        #expect(endorsed.verified == [first] && endorsed.objections.isEmpty)
        let disputed = Self.knownBaselines([first], objected: Self.b)
        #expect(disputed.verified.isEmpty && disputed.objections.map(\.difference) == ["line 3"])
        #expect(disputed.objection(to: first)?.contains("line 3") == true)
        // One store's endorsement is enough, and the other one's objection stays.
        let both = Self.knownBaselines([first], endorsedBy: Self.b, objected: Self.c)
        #expect(both.verified == [first] && both.objections.count == 1 && both.objection(to: first) == nil)
        // What was found in a file of other bytes says nothing.
        let other = Self.comparison(of: Self.baseline(Self.a, [Self.a: 10, Self.b: 5], hash: "i"), by: Self.b)
        #expect(KnownBaselines([first], [other]).verified.isEmpty)
    }

    /// A state begins with the verified baselines that cross, and with none that another one has.
    @Test func crossingBaselinesAreBothBases() {
        let vectors: [[UniqueID: UInt64]] = [[Self.a: 9, Self.b: 4], [Self.a: 3, Self.b: 5], [Self.a: 8, Self.b: 4]]
        let baselines = vectors.map { Self.baseline(Self.a, $0) }
        let knownBaselines = Self.knownBaselines(baselines, endorsedBy: Self.b)
        #expect(knownBaselines.bases(of: VersionVector([Self.a: 10, Self.b: 5])) == Array(baselines[..<2]))
        #expect(knownBaselines.bases(of: VersionVector([Self.a: 8, Self.b: 5])) == [baselines[2], baselines[1]])
        #expect(knownBaselines.bases(of: VersionVector([Self.a: 2])).isEmpty)
    }

    // MARK: Cutting

    @Test func aBaselineIsCutAtTheOwnPositions() {
        #expect(CutRule(facts: Self.facts()).decision == .cut(BaselineName(writer: Self.a, sequence: 10)))
        // A store that is alone cuts as well.
        var facts = Self.facts()
        facts.writers[1].state = .evicted
        #expect(CutRule(facts: facts).decision == .cut(BaselineName(writer: Self.a, sequence: 10)))
    }

    @Test func aTakenNameIsNotCutAgain() {
        let same = Self.baseline(Self.a, [Self.a: 10, Self.b: 5, Self.c: 3])
        #expect(CutRule(facts: Self.facts(KnownBaselines([same]))).decision == .done(same, isVerified: false))
        let former = Self.baseline(Self.a, [Self.a: 10, Self.b: 4])
        #expect(CutRule(facts: Self.facts(KnownBaselines([former]))).decision == .acknowledge)
    }

    @Test func oneWriterCutsWhenItIsWorthIt() {
        #expect(CutRule(facts: Self.facts()).isOwnTurn)
        #expect(!CutRule(facts: Self.facts(own: Self.b)).isOwnTurn)
        let rule = CutRule(facts: Self.facts())
        #expect(!rule.isWorthwhile(uncovered: 0) && rule.isWorthwhile(uncovered: 1))
        let vector = [Self.a: UInt64(8), Self.b: 4]
        let baseline = Self.baseline(Self.a, vector)
        let verified = CutRule(facts: Self.facts(Self.knownBaselines([baseline], endorsedBy: Self.b)))
        #expect(!verified.isWorthwhile(uncovered: 49) && verified.isWorthwhile(uncovered: 50))
        // An own baseline gets a day to be endorsed.
        var facts = Self.facts(Self.dated(baseline))
        #expect(!CutRule(facts: facts).isWorthwhile(uncovered: 1_000))
        facts.wall = WallTime(milliseconds: 1_000_000 + 86_410_000)
        #expect(CutRule(facts: facts).isWorthwhile(uncovered: 1_000))
    }

    /// The writers of a store at a time, of which each continues the one before.
    ///
    /// A lead moves the clock of a writer ahead.
    private static func writers(
        _ label: UniqueID,
        _ writers: [(id: UniqueID, lead: Duration)],
        at time: WallTime
    ) -> [WriterRecord] {
        var after: Incarnation.Predecessor?
        return writers.map { writer in
            var record = record(writer.id, 5, seen: [c: 1])
            record.clock = HybridClock(time.later(by: writer.lead))
            record.incarnation = Incarnation(store: label, after: after)
            after = Incarnation.Predecessor(writer: writer.id, sequence: 5)
            return record
        }
    }

    /// Whether it is the turn of the store with a label, which is the last of its writers, in its view of the records.
    private static func isTurn(
        of label: UniqueID,
        _ records: [WriterRecord],
        at wall: WallTime,
        _ knownBaselines: KnownBaselines = KnownBaselines()
    ) -> Bool {
        var records = records
        guard let own = records.lastIndex(where: { $0.store == label }) else { return false }
        records[own].isSelf = true
        let facts = CompactionFacts(
            own: records[own].id,
            store: label,
            owner: records[own].id,
            modelHash: "m",
            writers: records,
            knownBaselines: knownBaselines,
            keep: .seconds(1),
            wall: wall
        )
        return CutRule(facts: facts).isOwnTurn
    }

    private static let (day, years) = (Duration.seconds(86_400), Duration.seconds(3_650 * 86_400))

    /// Its former writer has the least UUID, and a clock that is ahead; its present writer has the greatest UUID.
    @Test func aStoreThatWasAheadIsKnownByItsLabel() {
        let wall = WallTime(milliseconds: 1_700_000_000_000)
        func records(at time: WallTime) -> [WriterRecord] {
            Self.writers(Self.a, [(Self.a, Self.years), (Self.id(9), .zero)], at: time)
                + Self.writers(Self.b, [(Self.b, .zero)], at: wall)
        }
        let present = records(at: wall)
        #expect(Self.isTurn(of: Self.a, present, at: wall) && !Self.isTurn(of: Self.b, present, at: wall))
        // A store whose clock is a little ahead is there.
        let ahead = Self.writers(Self.a, [(Self.a, .seconds(60))], at: wall) + present.suffix(1)
        #expect(!Self.isTurn(of: Self.b, ahead, at: wall))
        // A store that is gone cuts none, wherever the clock of its former writer is.
        #expect(Self.isTurn(of: Self.b, records(at: wall.earlier(by: Self.day * 2)), at: wall))
        #expect(Self.isTurn(of: Self.b, Array(present.prefix(1) + present.suffix(1)), at: wall))
        // Nor does one that contradicts itself, under whatever writer.
        let contradiction = Self.knownBaselines([Self.baseline(Self.a, [Self.a: 5])], objected: Self.a)
        #expect(Self.isTurn(of: Self.b, present, at: wall, contradiction))
    }

    @Test func thePresentWriterFollowsAllThatItContinues() {
        var facts = Self.facts()
        let theirs = Self.writers(Self.b, [(Self.b, Self.years), (Self.id(8), Self.day), (Self.c, .zero)], at: 5_000)
        for records in [theirs, theirs.reversed()] {
            facts.writers = [Self.record(Self.a, 10, isSelf: true)] + records
            #expect(facts.active.map(\.writer.id) == [Self.c])
        }
        // Of two that continue one writer, and of those that continue each other, the one with the greatest clock.
        facts.writers[1].incarnation.after = Incarnation.Predecessor(writer: Self.b, sequence: 5)
        #expect(facts.active.map(\.writer.id) == [Self.id(8)])
        facts.writers[2].incarnation.after = Incarnation.Predecessor(writer: Self.c, sequence: 5)
        facts.writers[3].incarnation.after = Incarnation.Predecessor(writer: Self.id(8), sequence: 5)
        #expect(facts.active.map(\.writer.id) == [Self.b])
    }

    /// Random stores with former writers, clocks that are ahead, and stores that are gone.
    @Test func exactlyOneOfTheStoresThatWriteCuts() {
        var generator = SeededGenerator.printingSeed()
        let wall = WallTime(milliseconds: 1_700_000_000_000)
        for _ in LongProofs.rounds(200) {
            var (records, writing): ([WriterRecord], [UniqueID]) = ([], [])
            for _ in 0...generator.next() % 5 {
                let (label, isGone) = (Self.id(generator.next()), generator.next() % 3 == 0)
                let pause = Duration.seconds(generator.next() % 43_200) + (isGone ? Self.day * 2 : .zero)
                if !isGone { writing.append(label) }
                var writers = [(id: label, lead: Duration.zero)]
                for _ in 0..<generator.next() % 3 {
                    if generator.next() % 2 == 0 { writers[writers.count - 1].lead = Self.years }
                    writers.append((Self.id(generator.next()), .zero))
                }
                records += Self.writers(label, writers, at: wall.earlier(by: pause))
            }
            let cutting = writing.filter { Self.isTurn(of: $0, records, at: wall) }
            #expect(cutting == writing.min().map { [$0] } ?? [])
        }
    }

    /// A baseline that is there since 1,000 s.
    private static func dated(_ baseline: KnownBaseline) -> KnownBaselines {
        let mark = FileAttributes(inode: 1, size: 100, modified: FileTime(seconds: 1_000))
        return KnownBaselines([baseline], marks: [baseline.name.path: mark])
    }

    // MARK: Comparing

    private static func decision(_ knownBaselines: KnownBaselines) -> ComparisonRule.Decision {
        ComparisonRule(facts: facts(knownBaselines)).decision
    }

    @Test func aBaselineOfAnotherStoreIsComparedOnceItIsApplied() {
        let theirs = Self.baseline(Self.b, [Self.a: 8, Self.b: 4])
        #expect(Self.decision(KnownBaselines([theirs])) == .compare(theirs, isOwn: false))
        let now = Self.baseline(Self.b, [Self.a: 10, Self.b: 5, Self.c: 3])
        #expect(Self.decision(KnownBaselines([now, theirs])) == .compare(now, isOwn: false))
        let later = Self.baseline(Self.b, [Self.a: 10, Self.b: 6])
        #expect(Self.decision(KnownBaselines([later])) == .behind(later))
        #expect(Self.decision(KnownBaselines([later, theirs])) == .compare(theirs, isOwn: false))
        // Each store compares the newest baseline, so that a store with another state is found.
        #expect(Self.decision(Self.knownBaselines([theirs], endorsedBy: Self.c)) == .compare(theirs, isOwn: false))
        let newest = KnownBaselines([theirs, now], [Self.comparison(of: now, by: Self.c)])
        #expect(Self.decision(newest) == .compare(now, isOwn: false))
        let compared = [Self.comparison(of: now, by: Self.c), Self.comparison(of: now, by: Self.a)]
        #expect(Self.decision(KnownBaselines([theirs, now], compared)) == .nothing)
        // A store looks once.
        #expect(Self.decision(Self.knownBaselines([theirs], objected: Self.a)) == .nothing)
        let foreign = Self.baseline(Self.b, [Self.a: 8, Self.b: 4], model: "n")
        guard case .wait(foreign, _) = Self.decision(KnownBaselines([foreign])) else {
            Issue.record("its entries depend on the model")
            return
        }
    }

    /// The state of a copy proves nothing alone, also when the other one was copied from the same store.
    @Test func aBaselineOfACopyIsAnOwnOne() {
        let now = Self.baseline(Self.b, [Self.a: 10, Self.b: 5, Self.c: 3])
        var facts = Self.facts(KnownBaselines([now]))
        facts.writers[1].incarnation.after = Incarnation.Predecessor(writer: Self.c, sequence: 1)
        #expect(ComparisonRule(facts: facts).decision == .compare(now, isOwn: false))
        facts.writers[0].incarnation.after = Incarnation.Predecessor(writer: Self.c, sequence: 2)
        facts.writers[2].incarnation.after = Incarnation.Predecessor(writer: Self.a, sequence: 2)
        #expect(ComparisonRule(facts: facts).decision == .compare(now, isOwn: true))
    }

    @Test func aStoreComparesItsOwnBaselineWhereNoOtherOneDoes() {
        let mine = Self.baseline(Self.a, [Self.a: 10, Self.b: 5, Self.c: 3])
        guard case .wait(mine, _) = Self.decision(KnownBaselines([mine])) else {
            Issue.record("another store compares it")
            return
        }
        #expect(Self.decision(Self.knownBaselines([mine], endorsedBy: Self.b)) == .nothing)
        #expect(Self.decision(Self.knownBaselines([mine], objected: Self.b)) == .compare(mine, isOwn: true))
        // Where there is no other store; the store may have gone on since.
        var facts = Self.facts(KnownBaselines([Self.baseline(Self.a, [Self.a: 9, Self.b: 5])]))
        facts.writers[1].state = .evicted
        guard case .compare(_, isOwn: true) = ComparisonRule(facts: facts).decision else {
            Issue.record("no other store compares it")
            return
        }
        // When nobody has looked for a day.
        for (age, isOld) in [(86_300_000, false), (86_410_000, true)] as [(UInt64, Bool)] {
            facts = Self.facts(Self.dated(mine))
            facts.wall = WallTime(milliseconds: 1_000_000 + age)
            let isCompared = ComparisonRule(facts: facts).decision == .compare(mine, isOwn: true)
            #expect(isCompared == isOld)
        }
    }

    /// Copies of one machine have no state of another origin among them.
    @Test func theOwnStateIsTheLastResortWhereNoStoreOfAnotherOriginIsActive() {
        let mine = Self.baseline(Self.a, [Self.a: 9, Self.b: 5, Self.c: 3])
        var facts = Self.facts(Self.dated(mine))
        facts.wall = WallTime(milliseconds: 1_000_000 + 86_410_000)
        func isLastResort(_ facts: CompactionFacts) -> Bool { ComparisonRule(facts: facts).isLastResort(mine) }
        facts.writers[1].incarnation.after = Incarnation.Predecessor(writer: Self.a, sequence: 2)
        #expect(isLastResort(facts))
        facts.writers[2].seen = VersionVector([Self.a: 8])
        #expect(!isLastResort(facts))
        var copies = facts
        copies.writers[2].incarnation.after = Incarnation.Predecessor(writer: Self.b, sequence: 2)
        #expect(isLastResort(copies))
        facts.writers[2].state = .evicted
        #expect(isLastResort(facts))
        facts.wall = WallTime(milliseconds: 1_000_000 + 86_300_000)
        #expect(!isLastResort(facts))
    }

    // MARK: Removing

    @Test func ownSegmentsGoWhenTheyAreCoveredAcknowledgedAndOld() {
        let vector = [Self.a: UInt64(8), Self.b: 5]
        let verified = Self.knownBaselines([Self.baseline(Self.a, vector)], endorsedBy: Self.b)
        let decision = RemovalRule(facts: Self.facts(verified)).decision
        #expect(decision.removed.map(\.name.last) == [4, 8])
        #expect(decision.kept.map(\.waits) == [[.baseline(through: 8), .acknowledgement(Self.b, through: 8)]])
        #expect(decision.covers.map(\.vector) == [VersionVector(vector)])
        #expect(decision.baselines.isEmpty)
        // An unverified baseline removes nothing.
        #expect(
            RemovalRule(facts: Self.facts(KnownBaselines([Self.baseline(Self.a, vector)]))).decision.removed.isEmpty
        )

        var facts = Self.facts(verified)
        facts.keep = .seconds(10)
        #expect(RemovalRule(facts: facts).decision.removed.isEmpty)
        facts = Self.facts(verified)
        facts.writers[1].seen = VersionVector([Self.a: 4])
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4])
    }

    /// An evicted writer is not waited for, and its acknowledgement stands for nobody's.
    @Test func anEvictedWriterCountsNeitherWay() {
        var facts = Self.coveredFacts()
        facts.writers[2].seen = VersionVector([Self.a: 2])
        #expect(RemovalRule(facts: facts).decision.removed.isEmpty)
        facts.writers[2].state = .evicted
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4, 8])
        facts.writers[1].seen = VersionVector([Self.a: 3])
        facts.writers[2].seen = VersionVector([Self.a: 10])
        #expect(RemovalRule(facts: facts).decision.removed.isEmpty)
    }

    /// Whoever has anything of a writer has all that it goes on from.
    @Test func anAcknowledgementIsOneOfWhatTheWriterGoesOnFrom() {
        var facts = Self.coveredFacts()
        facts.writers[2].incarnation = Incarnation(
            store: Self.a,
            after: Incarnation.Predecessor(writer: Self.a, sequence: 4)
        )
        facts.writers[1].seen = VersionVector([Self.c: 1])
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4])
        #expect(facts.active.map(\.seen) == [VersionVector([Self.a: 4, Self.c: 1])])
    }

    /// A store counts as long as one of its writers does.
    @Test func aStoreAcknowledgesAsOne() {
        var facts = Self.coveredFacts()
        facts.writers[1].incarnation.store = Self.id(9)
        facts.writers[2].incarnation.store = Self.id(9)
        facts.writers[2].seen = facts.writers[1].seen
        facts.writers[2].clock = HybridClock(milliseconds: 9)
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4, 8])
        #expect(facts.active.map(\.seen) == [VersionVector([Self.a: 8])])
        facts.writers[1].state = .evicted
        #expect(facts.active.count == 1)
        facts.writers[2].state = .evicted
        #expect(facts.active.isEmpty)
    }

    /// The store's own former writers acknowledge nothing, and its baselines under their names are its own.
    @Test func formerWritersAreTheStoreItself() {
        let theirs = Self.baseline(Self.b, [Self.a: 10, Self.b: 5, Self.c: 3])
        var facts = Self.facts(KnownBaselines([theirs]))
        facts.writers[1].incarnation.store = Self.a
        #expect(facts.owners == [Self.a, Self.b] && facts.active.isEmpty)
        #expect(ComparisonRule(facts: facts).decision == .compare(theirs, isOwn: true))
    }

    @Test func anOwnBaselineGoesWhenAVerifiedOneHasMore() {
        let mine = Self.baseline(Self.a, [Self.a: 4, Self.b: 5])
        let more = Self.baseline(Self.b, [Self.a: 8, Self.b: 5], model: "n")
        #expect(RemovalRule(facts: Self.facts(KnownBaselines([mine, more]))).decision.baselines.isEmpty)
        let endorsed = Self.knownBaselines([mine, more], endorsedBy: Self.c)
        #expect(RemovalRule(facts: Self.facts(endorsed)).decision.baselines == [mine.name])
        // Of two equal ones nobody removes its own, and nobody removes another store's.
        let equal = [Self.a, Self.b].map { Self.baseline($0, [Self.a: 8, Self.b: 5]) }
        #expect(
            RemovalRule(facts: Self.facts(Self.knownBaselines(equal, endorsedBy: Self.c))).decision.baselines.isEmpty
        )
        let theirs = Self.baseline(Self.b, [Self.a: 4, Self.b: 5])
        let others = Self.knownBaselines([theirs, equal[0]], endorsedBy: Self.c)
        #expect(RemovalRule(facts: Self.facts(others)).decision.baselines.isEmpty)
    }

    /// Nobody who has lost the key can read it; who still has the key finds all of it in the verified one.
    @Test func anOwnBaselineWhoseKeyIsLostGoesWhenItsMakerHasMore() {
        let names = [4, 8, 9].map { BaselineName(writer: Self.a, sequence: $0) }
        func decision(isLocked: Bool) -> ([BaselineName], [BaselineComparison.Name]) {
            let refusal = KnownBaselines.Refusal(
                reason: "its key is missing",
                isIncomplete: false,
                since: .epoch,
                isLocked: isLocked
            )
            let refused = Dictionary(uniqueKeysWithValues: names.map { ($0, refusal) })
            let verified = Self.baseline(Self.b, [Self.a: 8, Self.b: 5])
            let known = KnownBaselines(
                [verified],
                [Self.comparison(of: verified, by: Self.c)],
                refused: refused,
                refusedComparisons: Dictionary(
                    uniqueKeysWithValues: names.map { (BaselineComparison.Name(writer: Self.a, of: $0), refusal) }
                )
            )
            let decision = RemovalRule(facts: Self.facts(known)).decision
            return (decision.baselines, decision.comparisons)
        }
        #expect(decision(isLocked: true) == ([names[0]], [BaselineComparison.Name(writer: Self.a, of: names[0])]))
        #expect(decision(isLocked: false) == ([], []))
    }

    @Test func aComparisonGoesWithItsBaseline() {
        let (old, new) = (
            Self.baseline(Self.b, [Self.a: 4, Self.b: 4]), Self.baseline(Self.b, [Self.a: 8, Self.b: 5])
        )
        let found = [old, new].map { Self.comparison(of: $0, by: Self.a) }
        let both = RemovalRule(facts: Self.facts(KnownBaselines([old, new], found))).decision
        #expect(both.comparisons == [found[0].name] && both.covers.contains(new))
        // While nothing that is verified has more, it stays, also when the file of the baseline is out of sight.
        #expect(RemovalRule(facts: Self.facts(KnownBaselines([old], found))).decision.comparisons.isEmpty)
        #expect(RemovalRule(facts: Self.facts(KnownBaselines([], found))).decision.comparisons.isEmpty)
        let rest = RemovalRule(facts: Self.facts(KnownBaselines([new], found))).decision
        #expect(rest.comparisons == [found[0].name] && rest.covers == [new])
    }
}
