import CSQLite
import GRDB
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Transactions of other writers do not make the store's own tables grow without a limit.
@Suite struct BoundedTablesTests {
    private static let model = """
        version: "1"
        entities:
          P: {attributes: {\((0..<11).map { "a\($0): Integer 64?" }.joined(separator: ", "))}}
        """

    private func seen(_ count: Int) -> [UniqueID: UInt64] {
        Dictionary(uniqueKeysWithValues: (1...count).map { (UniqueID.sample($0), UInt64($0)) })
    }

    @Test func namingAWriterDoesNotMakeItKnown() throws {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, seen: seen(1_000), .insert("Person", 1)))
        #expect(try replica.count("tributary_writer") == 2)
        #expect(try replica.count("tributary_seen") == 0)
        // An announcement by a known writer counts.
        let first = ForeignTransaction(1, 1, clock: 1).writer
        try replica.apply(ForeignTransaction(2, 1, clock: 2, seen: [first: 1], .insert("Person", 2)))
        #expect(try replica.count("tributary_seen") == 1)
    }

    /// A store says nothing anew when it goes on as another writer, and what follows from later writers is not kept.
    @Test func writersThatAStoreHasBeenAddNoAcknowledgements() throws {
        let replica = try Replica()
        var (own, former) = ([UniqueID: UInt64](), Incarnation.Predecessor?.none)
        for number in 1...20 {
            let peer = ForeignTransaction(number, 1, clock: UInt64(number), seen: own)
            try replica.store.write { write in
                try write.meet(peer.writer, Incarnation(store: .sample(0xE000), after: former))
                try write.apply(peer)
            }
            former = Incarnation.Predecessor(writer: peer.writer, sequence: 1)
            replica.boot()
            own = [try replica.commit().writer: 1]
            #expect(try ownTransactions(of: replica).map(\.header.seen) == [[peer.writer: 1]])
        }
        #expect(try replica.count("tributary_writer") == 40)
        #expect(try replica.count("tributary_seen") == 2)
        // Both know what the other has seen of all that it has been.
        let records = try replica.store.read { try $0.writers.all() }
        #expect(Set(records.map(\.seen.entries.count)) == [1])
        let lines = try replica.store.read { reader in
            var lines: [String] = []
            _ = try reader.baseline.forEachLine { lines.append(String(decoding: $0, as: UTF8.self)) }
            return lines.filter { $0.hasPrefix("{\"writer\"") && $0.contains("\"seen\"") }
        }
        #expect(lines.count == 2)
    }

    /// Also of writers that have nothing to do with each other.
    @Test func aFreshWriterSaysNothingAgain() throws {
        let replica = try Replica()
        for number in 1...5 {
            let peer = ForeignTransaction(number, 1, clock: UInt64(number), .insert("Person", number))
            try replica.apply(peer)
            replica.boot()
            try replica.commit()
            #expect(try ownTransactions(of: replica).map(\.header.seen) == [[peer.writer: 1]])
        }
    }

    /// A connection keeps its statements: thousands of writers and transactions may not add any.
    @Test func writersAddNoStatements() throws {
        let replica = try Replica()
        func statements(_ writers: ClosedRange<Int>) throws -> Int {
            for number in writers {
                let peer = ForeignTransaction(
                    number,
                    1,
                    clock: UInt64(number),
                    .insert("Unknown", 1, ["what": .integer(1)])
                )
                try replica.apply(peer)
                try replica.commit()
                let own = try replica.store.read { try $0.writers.own() }
                try replica.store.write { write in
                    _ = try write.reader.writers.record(of: peer.writer)
                    _ = try write.reader.outbox.export(of: own.id, beginningAt: own.sequence)
                    _ = try write.reader.deferrals.overview(limit: number)
                    let record = SegmentRecord(writer: peer.writer, first: 1, last: 1, sha256: "")
                    _ = try write.reader.deferrals.writes(of: record, limit: number)
                }
                replica.boot()
            }
            return try replica.store.write { write in
                var (count, statement) = (0, sqlite3_next_stmt(write.reader.database.sqliteConnection, nil))
                while let known = statement {
                    count += 1
                    statement = sqlite3_next_stmt(write.reader.database.sqliteConnection, known)
                }
                return count
            }
        }
        let few = try statements(1...3)
        #expect(try statements(4...40) == few)
    }

    @Test func thousandsOfWritersAreAcknowledgedInTurns() throws {
        let replica = try Replica()
        let transactions = (1...(LogLimits.seenEntries + 5)).map { ForeignTransaction($0, 1, clock: 1) }
        try replica.apply(together: transactions)
        for _ in 0..<3 { try replica.commit() }
        let counts = try ownTransactions(of: replica).map(\.header.seen.count)
        #expect(counts == [LogLimits.seenEntries, 5, 0])
    }

    private func ownTransactions(of replica: Replica) throws -> [LogTransaction] {
        let own = try replica.store.read { try $0.writers.own() }
        let lines = try replica.localTransactions().flatMap { $0.split(separator: "\n").map(String.init) }
        return try SegmentText(writer: own.id, first: 1, last: own.sequence, lines).transactions()
    }

    @Test func setsOfPropertiesGoWithTheirHistory() throws {
        let replica = try Replica(try Model(yaml: Self.model))
        let changes = (1..<2_048).map { bits in
            let names = (0..<11).filter { bits & 1 << $0 != 0 }
            let writes = names.map { PropertyWrite(name: "a\($0)", value: .integer(Int64(bits))) }
            return Change(entity: "P", id: .sample(1), operation: .update(writes))
        }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("P", 1)))
        try replica.apply(ForeignTransaction(1, 2, clock: 2, changes))
        #expect(try replica.count("tributary_shape") == 2_048)
        // A transaction with a cleared cache finds the known shapes again.
        try replica.apply(ForeignTransaction(1, 3, clock: 3, Array(changes.suffix(100))))
        #expect(try replica.count("tributary_shape") == 2_048)
        let newest = try replica.store.read { try $0.history.newestTransaction() }
        try replica.store.write { try $0.deleteHistory(before: newest) }
        #expect(try replica.count("tributary_shape") == 100)
        let kept = try replica.store.read { try $0.history.transactions(after: newest - 1, limit: 10) }
        #expect(kept.count == 1)
        #expect(kept.first?.changes.isEmpty == false)
    }
}
