import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A store that migrates between a save and its export, and gives what it saved new clocks.
@Suite struct MigratedOutboxTests {
    private static let old = """
        version: "1"
        entities:
          A: {attributes: {c: {type: Integer 64, default: 0, merge: counter},
                           e: {type: Double, default: 0, merge: counter}, x: String?}}
        """
    private static let new = """
        version: "2"
        entities:
          A: {attributes: {z: {type: Integer 64, default: 0, merge: counter, renamed_from: c},
                           e: {type: Double, default: 0, merge: counter}, x: String?}}
        """

    private func increment(_ amount: Double) -> JSONValue {
        .object([JSONMember(key: "increment", value: .double(amount))])
    }

    @Test func `what was counted goes to the new writer under the new names of the counters`() throws {
        let first = try Model(yaml: Self.old)
        let second = try Model(yaml: Self.new).succeeding([first])
        let insert = ForeignTransaction(1, 1, clock: 1, .insert("A", 1, ["c": .increment(10), "e": increment(0.1)]))
        let late = ForeignTransaction(1, 2, clock: 2, .update("A", 1, ["z": .increment(1_000)]))
        let replica = try Replica(first)
        try replica.apply([insert, late])
        _ = try replica.commit(.update("A", 1, ["c": .increment(7), "e": increment(0.2)]))
        _ = try replica.commit(.update("A", 1, ["c": .increment(1), "e": increment(0.3)]))
        try replica.reopen(second)
        _ = try replica.commit(.update("A", 1, ["z": .increment(100)]))
        let shown = try #require(try replica.values("A", .sample(1)))
        #expect(shown["z"] == .integer(1_118) && shown["e"] == .double(0.6))
        _ = try replica.store.write { try $0.restamp(after: late.header.clock) }
        #expect(try replica.values("A", .sample(1)) == shown)
        let peer = try Replica(second)
        try peer.apply([insert, late])
        try MigrationStory.send(from: replica, to: peer)
        #expect(try peer.dump() == replica.dump())
        #expect(try peer.digest() == replica.digest())
    }

    @Test func `the total of a lost counter stays with the writer that has published it`() throws {
        let first = try Model(yaml: Self.old)
        let second = try Model(yaml: "version: \"2\"\nentities:\n  A: {attributes: {x: String?}}").succeeding([first])
        let insert = ForeignTransaction(1, 1, clock: 1, .insert("A", 1, ["c": .increment(10), "x": "a"]))
        let (replica, peer) = (try Replica(first), try Replica(first))
        for store in [replica, peer] { try store.apply(insert) }
        _ = try replica.commit(.update("A", 1, ["c": .increment(7)]))
        try MigrationStory.send(from: replica, to: peer)
        let own = try replica.store.read { try $0.writers.own().id }
        let range = ExportRange(writer: own, first: 1, last: 1, header: "{}")
        try replica.store.write { write in
            try write.beginExport(range)
            try write.finishExport(range, sha256: "")
        }
        _ = try replica.commit(.update("A", 1, ["x": "b"]))
        for store in [replica, peer] { try store.reopen(second) }
        _ = try replica.store.write { try $0.restamp(after: .zero) }
        try MigrationStory.send(from: replica, to: peer)
        #expect(try peer.dump() == replica.dump())
        let third = try Model(yaml: Self.old.replacing("\"1\"", with: "\"3\"")).succeeding([first, second])
        for store in [replica, peer] { try store.reopen(third) }
        #expect(try peer.dump() == replica.dump())
        #expect(try peer.digest() == replica.digest())
    }
}
