import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A store that becomes another writer: the parts that change, and those that stay.
@Suite struct MintingTests {
    private func records(_ replica: Replica) throws -> [UniqueID: WriterRecord] {
        let all = try replica.store.read { try $0.writers.all() }
        return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    }

    /// A replica with three saves, of which the first is published, and an import after the second.
    private func makeReplica() throws -> (Replica, ExportedWriter) {
        let replica = try Replica()
        var exported = ExportedWriter()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("Tag", 41)))
        try replica.commit(.insert("Employee", 1, ["visits": 5]))
        try exported.publish(replica)
        try replica.commit(.update("Employee", 1, ["visits": 7]))
        try replica.apply(ForeignTransaction(1, 2, clock: 2, .insert("Tag", 42)))
        try replica.commit(.insert("Project", 31))
        return (replica, exported)
    }

    @Test func `the former writer keeps what it has published, and the new one begins at 1`() throws {
        let (replica, exported) = try makeReplica()
        let minted = try replica.store.write { try $0.writerChanges.mintWriter() }
        #expect(minted.former == exported.transactions[0].writer)
        #expect(minted.published == 1 && minted.reissued == 2)
        let records = try records(replica)
        let former = try #require(records[minted.former])
        #expect(former.sequence == 1 && !former.isSelf && former.state == .former)
        #expect(former.clock == exported.transactions[0].header.clock)
        #expect(former.lastSegmentHash == "\(minted.former)-1")
        let new = try #require(records[minted.new])
        #expect(new.sequence == 2 && new.isSelf && new.state == nil && new.lastSegmentHash == nil)
        let outbox = try ExportedWriter.outbox(of: replica)
        #expect(outbox.map(\.header.sequence) == [1, 2])
        #expect(outbox.map(\.writer) == [minted.new, minted.new])
    }

    @Test func `the first transaction announces all that the former writer has seen, and its own last one`() throws {
        let (replica, _) = try makeReplica()
        let minted = try replica.store.write { try $0.writerChanges.mintWriter() }
        let other = ForeignTransaction(1, 1, clock: 1).writer
        let outbox = try ExportedWriter.outbox(of: replica)
        #expect(outbox.map(\.header.seen) == [[other: 1, minted.former: 1], [other: 2]])
        let records = try records(replica)
        #expect(records[minted.former]?.seen == VersionVector([other: 1]))
        #expect(records[minted.new]?.seen == VersionVector([other: 2, minted.former: 1]))
        try replica.commit()
        #expect(try ExportedWriter.outbox(of: replica).last?.header.seen == [:])
    }

    @Test func `without a transaction to issue again, the next one announces everything`() throws {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("Tag", 41)))
        try replica.commit(.insert("Tag", 42))
        var exported = ExportedWriter()
        try exported.publish(replica)
        let minted = try replica.store.write { try $0.writerChanges.mintWriter() }
        #expect(minted.reissued == 0)
        try replica.commit()
        let other = ForeignTransaction(1, 1, clock: 1).writer
        #expect(try ExportedWriter.outbox(of: replica).map(\.header.seen) == [[other: 1, minted.former: 1]])
    }

    @Test func `history keeps its numbers, and tokens their writer`() throws {
        let (replica, _) = try makeReplica()
        let before = try replica.store.read { (try $0.history.newestTransaction(), try $0.writers.tokenWriter()) }
        _ = try replica.store.write { try $0.writerChanges.mintWriter() }
        _ = try replica.store.write { try $0.writerChanges.mintWriter() }
        let after = try replica.store.read { (try $0.history.newestTransaction(), try $0.writers.tokenWriter()) }
        #expect(before.0 == after.0 && before.1 == after.1)
    }

    @Test func `a segment in the log folder counts as published, though its export was not finished`() throws {
        let (replica, _) = try makeReplica()
        let own = try replica.store.read { try $0.writers.own().id }
        try replica.store.write { try $0.beginExport(ExportRange(first: 2, last: 2, header: "{}")) }
        let segment = SegmentRecord(writer: own, first: 2, last: 2, sha256: "found")
        let minted = try replica.store.write { try $0.writerChanges.mintWriter(WriterMint(published: [segment])) }
        #expect(minted.published == 2 && minted.reissued == 1)
        #expect(try records(replica)[own]?.lastSegmentHash == "found")
        #expect(try replica.store.read { try $0.outbox.unfinishedExports() }.isEmpty)
    }

    @Test func `a former writer without a published transaction stays known as such`() throws {
        let replica = try Replica()
        try replica.commit(.insert("Tag", 41))
        let minted = try replica.store.write { try $0.writerChanges.mintWriter() }
        try replica.reopen()
        #expect(try records(replica)[minted.former]?.state == .former)
        #expect(try ExportedWriter.outbox(of: replica).map(\.header.seen) == [[:]])
    }

    @Test func `former writers are known without a list, and listed before their mark is replaced`() throws {
        let (replica, _) = try makeReplica()
        let first = try replica.store.write { try $0.writerChanges.mintWriter() }
        let second = try replica.store.write { try $0.writerChanges.mintWriter() }
        func formers() throws -> FormerWriters { try replica.store.read { try FormerWriters($0) } }
        #expect(try formers().all == [first.former, second.former])
        try replica.store.write { try $0.setSetting(IdentityKeys.formers, to: nil) }
        #expect(try formers().all == [first.former, second.former])
        let record = try #require(try records(replica)[first.former])
        #expect(try !formers().isInUse(record))
        try replica.store.write { write in
            for writer in [first.former, second.former] { try write.writerChanges.setState(.evicted, of: writer) }
            // Another writer is none of them.
            try write.writerChanges.setState(.evicted, of: ForeignTransaction(1, 1, clock: 1).writer)
        }
        #expect(try formers().all == [first.former, second.former])
        #expect(try replica.store.read { try $0.setting(IdentityKeys.formers) } != nil)
    }

    @Test func `clocks that are ahead are drawn anew, and the writer that caused them is set aside`() throws {
        let replica = try Replica()
        let now = HybridClock(Replica.now)
        let limit = HybridClock(milliseconds: Replica.now.milliseconds + 3_600_000)
        try replica.commit(.insert("Tag", 41))
        var ahead = ForeignTransaction(1, 1, clock: 0, .insert("Tag", 43))
        ahead.header.clock = HybridClock(milliseconds: Replica.now.milliseconds + 9_000_000)
        try replica.apply(ahead)
        _ = try replica.store.write { try $0.writerChanges.mintWriter(WriterMint(greatestClock: limit)) }
        // The save before the import kept its clock, and the next one is near the wall time again.
        try replica.commit(.insert("Tag", 42))
        let clocks = try ExportedWriter.outbox(of: replica).map(\.header.clock)
        #expect(clocks.count == 2 && clocks[0] == now && clocks[1] > now && clocks[1] < limit)
    }

    @Test func `changes after a transaction of others that is ahead cannot get lesser clocks`() throws {
        let replica = try Replica()
        let limit = HybridClock(milliseconds: Replica.now.milliseconds + 3_600_000)
        var ahead = ForeignTransaction(1, 1, clock: 0, .insert("Tag", 43))
        ahead.header.clock = HybridClock(milliseconds: Replica.now.milliseconds + 9_000_000)
        try replica.apply(ahead)
        try replica.commit(.delete("Tag", 43))
        let dump = try replica.dump()
        #expect(
            throws: WriterMintError.restsOnAheadClock(writer: ahead.writer, sequence: 1, clock: ahead.header.clock)
        ) {
            try replica.store.write { try $0.writerChanges.mintWriter(WriterMint(greatestClock: limit)) }
        }
        #expect(try replica.dump() == dump)
    }

    @Test func `a writer is evicted until something newer of it is applied, and stays abandoned`() throws {
        let replica = try Replica()
        for writer in 1...2 { try replica.apply(ForeignTransaction(writer, 1, clock: 1, .insert("Tag", 40 + writer))) }
        let writers = (1...2).map { ForeignTransaction($0, 1, clock: 1).writer }
        try replica.store.write { write in
            try write.writerChanges.setState(.evicted, of: writers[0])
            try write.writerChanges.setState(.abandoned, of: writers[1])
        }
        #expect(try writers.map { try records(replica)[$0]?.state } == [.evicted, .abandoned])
        for writer in 1...2 { try replica.apply(ForeignTransaction(writer, 2, clock: 2, .insert("Tag", 50 + writer))) }
        #expect(try writers.map { try records(replica)[$0]?.state } == [nil, .abandoned])
    }
}
