import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Unique keys of any length take little room beside the values themselves.
@Suite struct LongKeyTests {
    private static let long = String(repeating: "k", count: 2_000)

    /// A visible person 1, a shadow of it, and a person 3 whose key differs in the last character.
    private func replica() throws -> Replica {
        let replica = try Replica.withUniqueKeys()
        let keys = [Self.long, Self.long, String(Self.long.dropLast()) + "l"]
        for (index, key) in keys.enumerated() {
            let insert = Change.insert("Person", index + 1, ["email": .string(key)])
            try replica.apply(ForeignTransaction(index + 1, 1, clock: UInt64(index + 1), insert))
        }
        return replica
    }

    private func people(_ replica: Replica) throws -> [Int] {
        try (1...3).filter { try replica.values("Person", .sample($0)) != nil }
    }

    @Test func `a shadow is found by the digest of a long key`() throws {
        let replica = try replica()
        #expect(try people(replica) == [1, 3])
        let length = try PlainSQL(path: replica.path).value("SELECT max(length(key)) FROM tributary_shadow_key")
        #expect(try #require(length.flatMap { Int($0) }) < 64)
        try replica.apply(ForeignTransaction(4, 1, clock: 9, .update("Person", 1, ["email": "other"])))
        #expect(try people(replica) == [1, 2, 3])
    }
}
