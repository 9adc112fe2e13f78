import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// What none of the writers of a store has exported gets new clocks, under one fresh writer.
@Suite struct RestampedWritersTests {
    private static let model = """
        version: "1"
        entities:
          A: {attributes: {c: {type: Integer 64, default: 0, merge: counter}, x: String?,
                           n: {type: Integer 64, optional: true, merge: counter}}}
        """
    private static let withoutCounters = "{version: '2', entities: {A: {attributes: {x: String?}}}}"

    private let replica: Replica
    private let peer: Replica

    init() throws {
        (replica, peer) = (try Replica(Model(yaml: Self.model)), try Replica(Model(yaml: Self.model)))
    }

    private func own() throws -> WriterRecord { try replica.store.read { try $0.writers.own() } }

    private func restamp(after greatest: HybridClock) throws -> Restamped {
        try replica.store.write { try $0.restamp(after: greatest) }
    }

    @Test func whatFormerWritersHaveNotExportedGetsNewClocks() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["c": .increment(10)]))
        try exported.publish(replica)
        let first = try own()
        try replica.commit(.update("A", 1, ["c": .increment(7), "x": "a"]))
        for number in [100, 1_000] as [Int64] {
            replica.boot()
            try replica.commit(.update("A", 1, ["c": .increment(number), "x": "b"]))
        }
        let restamped = try restamp(after: first.clock)
        #expect(restamped.published == 0 && restamped.count == 3)
        let own = try own()
        #expect(own.id == restamped.new && own.sequence == 3)
        #expect(own.incarnation.after == Incarnation.Predecessor(writer: first.id, sequence: 1))
        let others = try replica.store.read { try $0.writers.all() }.filter { !$0.isSelf }
        #expect(others.map(\.sequence).sorted() == [0, 1])
        try exported.publish(replica)
        #expect(exported.transactions.map(\.writer) == [first.id, own.id, own.id, own.id])
        // What nobody publishes any more is not waited for.
        for transaction in exported.transactions {
            for (writer, sequence) in transaction.header.seen {
                #expect(exported.transactions.contains { $0.writer == writer && $0.header.sequence >= sequence })
            }
        }
        try peer.apply(exported.transactions)
        #expect(try peer.values("A", .sample(1))?["c"] == .integer(1_117))
        #expect(try peer.dump() == replica.dump() && peer.digest() == replica.digest())
    }

    /// A copy has published transactions in the place of which new ones would be counted twice.
    @Test func whatIsKnownElsewhereGetsNoNewClocks() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["c": .increment(1)]))
        try exported.publish(replica)
        try replica.commit(.update("A", 1, ["c": .increment(2)]))
        let own = try own()
        var third = ForeignTransaction(1, 3, clock: 300_000_000)
        (third.writer, third.header.clock) = (own.id, own.clock.next(at: .epoch))
        try replica.apply(third)
        #expect(throws: RestampError.knownElsewhere(writer: own.id, sequence: 1)) { try restamp(after: .zero) }
    }

    private func reissue() throws -> Restamped {
        let first = try #require(try replica.store.read { try $0.outbox.unexported().first })
        let range = ExportRange(writer: first.writer, first: first.first, last: first.first, header: "{}")
        return try replica.store.write { write in
            try write.beginExport(range)
            return try write.reissue(range)
        }
    }

    /// The names of the present writer are taken: the transactions get others, and nothing else changes.
    @Test func whatIsReissuedKeepsItsClocks() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["c": .increment(10)]))
        try exported.publish(replica)
        let former = try own()
        let clocks = try (1...3 as ClosedRange<Int64>).map { count in
            try replica.commit(.update("A", 1, ["c": .increment(count), "x": "a"]))
            return try own().clock
        }
        let reissued = try reissue()
        #expect(reissued.former == former.id && reissued.published == 1 && reissued.count == 3)
        #expect(try own().incarnation.after == Incarnation.Predecessor(writer: former.id, sequence: 1))
        #expect(try replica.store.read { try $0.outbox.unfinishedExports().isEmpty })
        try exported.publish(replica)
        #expect(exported.transactions.dropFirst().map(\.header.clock) == clocks)
        #expect(exported.transactions.map(\.writer) == [former.id] + Array(repeating: reissued.new, count: 3))
        try peer.apply(exported.transactions)
        #expect(try peer.values("A", .sample(1))?["c"] == .integer(16))
        #expect(try peer.digest() == replica.digest() && peer.dump() == replica.dump())
    }

    /// Without the first moved amount, the total of the former writer is zero.
    @Test func whatIsCountedMovesAtOnce() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["c": .increment(2)]))
        try exported.publish(replica)
        try replica.commit(.update("A", 1, ["c": .increment(3)]))
        try replica.commit(.update("A", 1, ["c": .increment(-2)]))
        _ = try reissue()
        try exported.publish(replica)
        try peer.apply(exported.transactions)
        #expect(try peer.values("A", .sample(1))?["c"] == .integer(3))
        #expect(try peer.digest() == replica.digest() && peer.dump() == replica.dump())
    }

    /// Nobody knows whether a writer with a total of zero has published its counts.
    @Test(arguments: [([5, -5], [3]), ([], [3]), ([5, -5], [3, -3]), ([], [3, -3])] as [([Int64], [Int64])])
    func aTotalOfZeroCountsAsNone(published: [Int64], moved: [Int64]) throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1))
        for amount in published { try replica.commit(.update("A", 1, ["n": .increment(amount)])) }
        try exported.publish(replica)
        for amount in moved { try replica.commit(.update("A", 1, ["n": .increment(amount)])) }
        let former = try reissue().former
        // A store that has applied some of the counts needs the total.
        var baseline = ""
        _ = try replica.store.read { reader in
            try reader.baseline.forEachLine { baseline += String(decoding: $0, as: UTF8.self) }
        }
        #expect(baseline.contains("\"\(former)\":0"))
        try exported.publish(replica)
        try peer.apply(exported.transactions)
        for replica in [replica, peer] {
            #expect(try replica.values("A", .sample(1))?["n"] == .integer(moved.reduce(0, +)))
        }
        #expect(try peer.digest() == replica.digest() && peer.dump() == replica.dump())
        let later = try Model(yaml: Self.withoutCounters).succeeding([Model(yaml: Self.model)])
        for replica in [replica, peer] { try replica.reopen(later) }
        #expect(try peer.digest() == replica.digest() && peer.dump() == replica.dump())
    }

    @Test func `a writer without a total in a joined baseline has a total of zero`() throws {
        let counted = ForeignTransaction(1, 1, clock: 1, .insert("A", 1, ["c": .increment(5)]))
        let other = ForeignTransaction(2, 1, clock: 2, .update("A", 1, ["c": .increment(1)]))
        try peer.apply([counted, other])
        let clock = counted.header.clock.next(at: Replica.now)
        let counter = BaselineCounter(entity: "A", id: .sample(1), property: "c", totals: [other.writer: .integer(1)])
        let claim = BaselineWriter(id: counted.writer, sequence: 2, clock: clock, seen: [:])
        try peer.join(claim, transactions: 0, [.counter(counter)])
        #expect(try peer.values("A", .sample(1))?["c"] == .integer(1))
    }

    /// Of two writes with one clock the one of the greater writer wins, before and after.
    @Test func whatIsReissuedWinsAndLosesAsBefore() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["x": "a"]), .insert("A", 2, ["x": "a"]))
        try exported.publish(replica)
        try replica.commit(.update("A", 1, ["x": "own"]), .update("A", 2, ["x": "own"]))
        let own = try own()
        // A drawn identity is hardly between these two.
        let rivals = [(1, 1 << 63), (2, UInt64.max)].map { number, low in
            var rival = ForeignTransaction(1, 1, clock: 0, .update("A", number, ["x": "rival"]))
            rival.writer = UniqueID(high: own.id.high, low: low)
            rival.header.clock = own.clock
            return rival
        }
        try replica.apply(rivals)
        _ = try reissue()
        try exported.publish(replica)
        try peer.apply(exported.transactions + rivals)
        for replica in [replica, peer] {
            #expect(try replica.values("A", .sample(1))?["x"] == .string("own"))
            #expect(try replica.values("A", .sample(2))?["x"] == .string("rival"))
        }
        #expect(try peer.digest() == replica.digest())
    }

    /// A copy, or the store before it was set back, may have published what is in the outbox.
    @Test func onlyThePresentWriterIsReissued() throws {
        try replica.commit(.insert("A", 1))
        let own = try own()
        replica.boot()
        #expect(throws: RestampError.unproven(writer: own.id)) { try reissue() }
        #expect(try self.own().id == own.id)
        #expect(try replica.store.read { try $0.outbox.unexported().map(\.first) } == [1])
    }

    /// Joins a baseline that claims more transactions of the store's writer, with a total of 10.
    private func join(claiming writer: WriterRecord, clock: HybridClock) throws {
        let claim = BaselineWriter(id: writer.id, sequence: 1_000, clock: clock, seen: [:])
        let counter = BaselineCounter(entity: "A", id: .sample(1), property: "c", totals: [writer.id: .integer(10)])
        try replica.join(claim, transactions: 0, [.counter(counter)])
        #expect(try replica.store.read { try $0.writers.record(of: writer.id)?.sequence } == 1_000)
    }

    private func count() throws -> PropertyValue? { try replica.values("A", .sample(1))?["c"] }

    /// Somebody else has written as this store: what nobody knows yet gets other names before the baseline is joined.
    @Test func whatIsNotExportedOutlivesABaselineWithItsNames() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["c": .increment(10)]))
        try exported.publish(replica)
        let former = try own()
        try replica.commit(.update("A", 1, ["c": .increment(100)]))
        try join(claiming: former, clock: own().clock.next(at: Replica.now))
        let fresh = try own()
        #expect(fresh.id != former.id && fresh.sequence == 1)
        #expect(fresh.incarnation.after == Incarnation.Predecessor(writer: former.id, sequence: 1))
        #expect(try count() == .integer(110))
        let last = exported.transactions.count
        try exported.publish(replica)
        #expect(exported.transactions.dropFirst(last).map(\.writer) == [fresh.id])
        // The fresh writer is proven to be the only one.
        try replica.commit(.update("A", 1, ["c": .increment(1)]))
        #expect(try own().id == fresh.id && count() == .integer(111))
    }

    /// A clock that is not greater proves that the claimed transactions are others.
    @Test(arguments: [false, true]) func publishedTotalsOutliveABaselineThatContradictsThem(isLater: Bool) throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1, ["c": .increment(10)]))
        try replica.commit(.update("A", 1, ["c": .increment(100)]))
        try exported.publish(replica)
        let former = try own()
        try join(claiming: former, clock: isLater ? former.clock.next(at: Replica.now) : former.clock)
        #expect(try own().id != former.id && own().sequence == 0)
        #expect(try count() == .integer(isLater ? 10 : 110))
    }

    /// The store, or a copy of it, may have published what the baseline has.
    @Test func anUnprovenStoreTakesWhatABaselineHasOfIt() throws {
        try replica.commit(.insert("A", 1, ["c": .increment(110)]))
        let former = try own()
        replica.boot()
        try join(claiming: former, clock: former.clock.next(at: Replica.now))
        #expect(try count() == .integer(10))
        #expect(try replica.store.read { try $0.outbox.unexported().map(\.writer) } == [former.id])
    }

    @Test func aRestampedStoreIsItsWriterWithTheSameHistory() throws {
        try replica.commit(.insert("A", 1))
        let history = try replica.store.read { try $0.history.name() }
        let restamped = try restamp(after: .zero)
        try replica.reopen(Model(yaml: Self.model))
        try replica.commit(.insert("A", 2))
        #expect(try own().id == restamped.new && own().sequence == 2 && own().incarnation.after == nil)
        #expect(try replica.store.read { try $0.history.name() } == history)
    }

    /// What may have overwritten a transaction that stays keeps a greater clock, and what cannot have does not.
    @Test func whatFollowsATransactionThatStaysIsJustAfterIt() throws {
        var exported = ExportedWriter()
        try replica.commit(.insert("A", 1))
        try exported.publish(replica)
        let first = try #require(exported.transactions.first).header.clock
        try replica.commit(.update("A", 1, ["x": "a"]))
        var foreign = ForeignTransaction(1, 1, clock: 0, [.update("A", 1, ["x": "later"])])
        foreign.header.clock = HybridClock(rawValue: first.rawValue + 100)
        try replica.apply(foreign)
        try replica.commit(.insert("A", 2))
        #expect(try restamp(after: .zero).count == 2)
        try exported.publish(replica)
        let clocks = exported.transactions.map(\.header.clock.rawValue)
        #expect(clocks == [first.rawValue, first.rawValue + 1, first.rawValue + 101])
        try peer.apply([foreign] + exported.transactions)
        #expect(try peer.dump() == replica.dump())
    }

    /// Only what is ahead gets another name.
    @Test func whatIsNotAheadKeepsItsNameAndItsClock() throws {
        try replica.commit(.insert("A", 1))
        let first = try own()
        try replica.commit(.update("A", 1, ["c": .increment(2)]))
        let restamped = try restamp(after: first.clock)
        #expect(restamped.published == 1 && restamped.count == 1)
        #expect(try own().incarnation.after == Incarnation.Predecessor(writer: first.id, sequence: 1))
        var exported = ExportedWriter()
        try exported.publish(replica)
        #expect(exported.transactions.map(\.writer) == [first.id, restamped.new])
        try peer.apply(exported.transactions)
        #expect(try peer.dump() == replica.dump())
    }
}
