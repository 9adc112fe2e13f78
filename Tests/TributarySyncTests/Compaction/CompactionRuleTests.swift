import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Plain facts decide which baselines are cut, verified and joined, and which files are removed.
@Suite struct CompactionRuleTests {
    private static let (a, b, c) = (id(1), id(2), id(3))

    private static func id(_ low: UInt64) -> UniqueID { UniqueID(high: 0x5f0c_0000_0000_7000, low: low) }

    private static func baseline(
        _ writer: UniqueID,
        _ vector: [UniqueID: UInt64],
        hash: String = "h",
        model: String = "m",
        bytes: UInt64 = 100,
        isWhole: Bool = true
    ) -> KnownBaseline {
        KnownBaseline(
            name: BaselineName(writer: writer, sequence: vector[writer] ?? 0),
            modelHash: model,
            vector: VersionVector(vector),
            sha256: hash,
            bytes: bytes,
            isWhole: isWhole
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

    /// Writer a with 10 transactions, of which b has acknowledged 8; a producer c.
    private static func facts(_ baselines: [KnownBaseline] = [], own: UniqueID = a) -> CompactionFacts {
        CompactionFacts(
            own: own,
            modelHash: "m",
            writers: [
                record(a, 10, seen: [b: 5], isSelf: own == a), record(b, 5, seen: [a: 8], isSelf: own == b),
                record(c, 3),
            ],
            shelf: BaselineShelf(baselines),
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

    // MARK: Verified baselines

    @Test func twoWritersVerifyABaseline() {
        let vector = [Self.a: UInt64(10), Self.b: 5]
        let first = Self.baseline(Self.a, vector)
        #expect(BaselineShelf([first]).verified.isEmpty)
        let equal = BaselineShelf([first, Self.baseline(Self.b, vector)])
        #expect(equal.verified.count == 2 && equal.disputes.isEmpty)
        let other = Self.baseline(Self.b, vector, hash: "i")
        #expect(BaselineShelf([first, other]).verified.isEmpty)
        #expect(BaselineShelf([first, other]).disputes.count == 1)
        #expect(BaselineShelf([first, Self.baseline(Self.b, vector, model: "n")]).verified.isEmpty)
    }

    @Test func onlyWholeBaselinesCount() {
        let vector = [Self.a: UInt64(10), Self.b: 5]
        let first = Self.baseline(Self.a, vector)
        for other in ["h", "i"] {
            let unread = Self.baseline(Self.b, vector, hash: other, isWhole: false)
            let shelf = BaselineShelf([first, unread])
            #expect(shelf.verified.isEmpty && shelf.disputes.isEmpty && shelf.unread == unread)
        }
        // Nobody needs one that a verified one dominates, or that one writer has alone.
        let greater = [Self.a: UInt64(11), Self.b: 5]
        let alone = Self.baseline(Self.a, [Self.a: 9, Self.b: 5], isWhole: false)
        let verified = [Self.baseline(Self.a, greater), Self.baseline(Self.b, greater)]
        let unread = [Self.baseline(Self.a, vector, isWhole: false), Self.baseline(Self.b, vector, isWhole: false)]
        #expect(BaselineShelf(unread + [alone]).unread == unread[0])
        #expect(BaselineShelf(verified + unread + [alone]).unread == nil)
        // The proof of one file is not taken for that of another.
        #expect(BaselineShelf(unread).learning(from: BaselineShelf(verified)).verified.isEmpty)
    }

    /// Each of n baselines is compared once with the verified one that has all of them: the next proof costs no n².
    @Test(arguments: [500, 1_000, 2_000] as [UInt64])
    func theNextProofIsFoundInOnePass(count: UInt64) {
        let open = (1...count).reversed().map { Self.baseline(Self.a, [Self.a: $0, Self.b: 5], isWhole: false) }
        let verified = (count + 1...2 * count).reversed().flatMap { sequence in
            [Self.a, Self.b].map { Self.baseline($0, [Self.a: sequence, Self.b: 5], hash: "\(sequence)") }
        }
        var comparisons: UInt64 = 0
        let next = BaselineShelf.firstOpen(open, beside: verified) { one, other in
            comparisons += 1
            return one.dominates(other)
        }
        #expect(next == nil && comparisons <= 2 * count)
        // One that crosses is found among them.
        let crossing = Self.baseline(Self.c, [Self.a: 1, Self.c: 1], isWhole: false)
        #expect(BaselineShelf.firstOpen(open + [crossing], beside: verified) { $0.dominates($1) } == crossing)
    }

    /// A third baseline that differs is the only one in dispute, and nothing else is.
    @Test func aDisputeStaysWhereItIs() {
        let vector = [Self.a: UInt64(10), Self.b: 5, Self.c: 3]
        let right = [Self.baseline(Self.a, vector), Self.baseline(Self.b, vector)]
        let wrong = Self.baseline(Self.c, vector, hash: "i")
        let shelf = BaselineShelf(right + [wrong])
        #expect(Set(shelf.verified) == Set(right) && shelf.disputes.map(\.second) == [wrong])
        #expect(shelf.objection(to: wrong) != nil && shelf.objection(to: right[0]) == nil)
        #expect(CutRule(facts: Self.facts(right + [wrong])).isWorthwhile(uncovered: 1_000))
        // Two against two: nobody is right.
        let more = Self.baseline(Self.id(4), vector.merging([Self.id(4): 1]) { $1 }, hash: "i")
        var fourth = more
        fourth.vector = VersionVector(vector)
        let even = BaselineShelf(right + [wrong, fourth])
        #expect(even.verified.isEmpty && even.disputes.count == 2)
        // Other vectors go on.
        let smaller = [Self.a: UInt64(9), Self.b: 5]
        let others = [Self.baseline(Self.a, smaller), Self.baseline(Self.b, smaller)]
        #expect(Set(BaselineShelf([right[0], wrong] + others).verified) == Set(others))
        // A store settles its own dispute before it cuts again.
        let own = CutRule(facts: Self.facts([right[0], wrong]))
        #expect(!own.isWorthwhile(uncovered: 1_000))
    }

    // MARK: Cutting

    @Test func aBaselineIsCutAtTheOwnPositions() {
        #expect(CutRule(facts: Self.facts()).decision == .cut(BaselineName(writer: Self.a, sequence: 10)))
        var facts = Self.facts()
        facts.writers[1].state = .evicted
        guard case .wait(let reason) = CutRule(facts: facts).decision else { Issue.record("nobody verifies"); return }
        #expect(reason.contains("No other store"))
    }

    @Test func aTakenNameIsNotCutAgain() {
        let same = Self.baseline(Self.a, [Self.a: 10, Self.b: 5, Self.c: 3])
        #expect(CutRule(facts: Self.facts([same])).decision == .done(same, isVerified: false))
        let former = Self.baseline(Self.a, [Self.a: 10, Self.b: 4])
        #expect(CutRule(facts: Self.facts([former])).decision == .acknowledge)
        let others = Self.baseline(Self.b, [Self.a: 8, Self.b: 5])
        guard case .wait = CutRule(facts: Self.facts([others])).decision else {
            Issue.record("nobody could verify it")
            return
        }
    }

    @Test func oneWriterCutsWhenItIsWorthIt() {
        #expect(CutRule(facts: Self.facts()).isOwnTurn)
        #expect(!CutRule(facts: Self.facts(own: Self.b)).isOwnTurn)
        let rule = CutRule(facts: Self.facts())
        #expect(!rule.isWorthwhile(uncovered: 0) && rule.isWorthwhile(uncovered: 1))
        let vector = [Self.a: UInt64(8), Self.b: 4]
        let verified = CutRule(facts: Self.facts([Self.baseline(Self.a, vector), Self.baseline(Self.b, vector)]))
        #expect(!verified.isWorthwhile(uncovered: 49) && verified.isWorthwhile(uncovered: 50))
    }

    // MARK: Verifying

    @Test func aBaselineOfAnotherWriterIsVerifiedOnceItIsApplied() {
        let theirs = Self.baseline(Self.b, [Self.a: 8, Self.b: 5])
        let name = BaselineName(writer: Self.a, sequence: 8)
        let decision = VerificationRule(facts: Self.facts([theirs])).decision
        #expect(decision == .verify(theirs, as: name, isOwnState: false))
        let now = Self.baseline(Self.b, [Self.a: 10, Self.b: 5, Self.c: 3])
        let own = BaselineName(writer: Self.a, sequence: 10)
        #expect(VerificationRule(facts: Self.facts([now])).decision == .verify(now, as: own, isOwnState: true))
        let later = Self.baseline(Self.b, [Self.a: 10, Self.b: 6])
        #expect(VerificationRule(facts: Self.facts([later])).decision == .behind(later))
        #expect(VerificationRule(facts: Self.facts([later, theirs])).decision == decision)
        let without = Self.baseline(Self.b, [Self.b: 5])
        guard case .wait = VerificationRule(facts: Self.facts([without])).decision else {
            Issue.record("no name for it")
            return
        }
        let mine = Self.baseline(Self.a, [Self.a: 8, Self.b: 5])
        #expect(VerificationRule(facts: Self.facts([theirs, mine])).decision == .nothing)
        let foreign = Self.baseline(Self.b, [Self.a: 8, Self.b: 5], model: "n")
        #expect(VerificationRule(facts: Self.facts([foreign])).decision == .nothing)
        // A dispute under another model is none under this one.
        let disputed = [(Self.c, "h"), (Self.id(4), "i")].map { writer, hash in
            Self.baseline(writer, [Self.a: 8, Self.b: 5], hash: hash, model: "n")
        }
        #expect(VerificationRule(facts: Self.facts([theirs] + disputed)).decision == decision)
    }

    // MARK: Removing

    @Test func ownSegmentsGoWhenTheyAreCoveredAcknowledgedAndOld() {
        let vector = [Self.a: UInt64(8), Self.b: 5]
        let verified = [Self.baseline(Self.a, vector), Self.baseline(Self.b, vector)]
        let decision = RemovalRule(facts: Self.facts(verified)).decision
        #expect(decision.removed.map(\.name.last) == [4, 8])
        #expect(decision.kept.map(\.waits) == [[.baseline(through: 8), .acknowledgement(Self.b, through: 8)]])
        #expect(decision.covers.map(\.vector) == [VersionVector(vector), VersionVector(vector)])
        #expect(decision.baselines.isEmpty)
        // An unverified baseline removes nothing.
        #expect(RemovalRule(facts: Self.facts([verified[0]])).decision.removed.isEmpty)

        var facts = Self.facts(verified)
        facts.keep = .seconds(10)
        #expect(RemovalRule(facts: facts).decision.removed.isEmpty)
        facts = Self.facts(verified)
        facts.writers[1].seen = VersionVector([Self.a: 4])
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4])
    }

    /// An evicted writer is not waited for, and its acknowledgement stands for nobody's.
    @Test func anEvictedWriterCountsNeitherWay() {
        let vector = [Self.a: UInt64(8), Self.b: 5]
        var facts = Self.facts([Self.baseline(Self.a, vector), Self.baseline(Self.b, vector)])
        facts.writers[2].seen = VersionVector([Self.a: 2])
        #expect(RemovalRule(facts: facts).decision.removed.isEmpty)
        facts.writers[2].state = .evicted
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4, 8])
        facts.writers[1].seen = VersionVector([Self.a: 3])
        facts.writers[2].seen = VersionVector([Self.a: 10])
        #expect(RemovalRule(facts: facts).decision.removed.isEmpty)
    }

    /// What one of a store's writers has seen, the store has seen; it counts as long as one of them does.
    @Test func aStoreAcknowledgesWithAllOfItsWriters() {
        let vector = [Self.a: UInt64(8), Self.b: 5]
        var facts = Self.facts([Self.baseline(Self.a, vector), Self.baseline(Self.b, vector)])
        facts.writers[1].incarnation.store = Self.id(9)
        facts.writers[2].incarnation.store = Self.id(9)
        facts.writers[2].seen = VersionVector([Self.a: 2])
        facts.writers[2].clock = HybridClock(milliseconds: 9)
        #expect(RemovalRule(facts: facts).decision.removed.map(\.name.last) == [4, 8])
        #expect(facts.active.map(\.seen) == [VersionVector([Self.a: 8])])
        facts.writers[1].state = .evicted
        #expect(facts.active.count == 1)
        facts.writers[2].state = .evicted
        #expect(facts.active.isEmpty)
    }

    /// The store's own former writers acknowledge nothing, and its baselines under their names prove nothing.
    @Test func formerWritersAreTheStoreItself() {
        let theirs = Self.baseline(Self.b, [Self.a: 10, Self.b: 5, Self.c: 3])
        var facts = Self.facts([theirs])
        facts.writers[1].incarnation.store = Self.a
        #expect(facts.owners == [Self.a, Self.b] && facts.active.isEmpty)
        guard case .wait = VerificationRule(facts: facts).decision else {
            Issue.record("a store verifies what it has made itself")
            return
        }
    }

    /// A store of this model could not begin with it.
    @Test func aVerifiedBaselineOfAnotherModelRemovesNothing() {
        let mine = Self.baseline(Self.a, [Self.a: 4, Self.b: 5])
        let foreign = [Self.a, Self.b].map { Self.baseline($0, [Self.a: 8, Self.b: 5], model: "n") }
        #expect(BaselineShelf(foreign).verified.count == 2)
        let decision = RemovalRule(facts: Self.facts(foreign + [mine])).decision
        #expect(decision.isEmpty && decision.kept[0].waits == [.baseline(through: 0)])
    }

    @Test func anOwnBaselineGoesWhenAVerifiedOneHasMore() {
        let (old, new) = ([Self.a: UInt64(4), Self.b: 5], [Self.a: UInt64(8), Self.b: 5])
        let mine = Self.baseline(Self.a, old)
        let verified = [Self.baseline(Self.a, new), Self.baseline(Self.c, new.merging([Self.c: 3]) { $1 })]
        #expect(RemovalRule(facts: Self.facts([mine, verified[0]])).decision.baselines.isEmpty)
        let equal = [Self.baseline(Self.a, new), Self.baseline(Self.b, new)]
        #expect(RemovalRule(facts: Self.facts([mine] + equal)).decision.baselines == [mine.name])
        // Of two equal ones nobody removes its own, and nobody removes another writer's.
        #expect(RemovalRule(facts: Self.facts(equal)).decision.baselines.isEmpty)
        #expect(RemovalRule(facts: Self.facts([Self.baseline(Self.b, old)] + equal)).decision.baselines.isEmpty)
    }
}
