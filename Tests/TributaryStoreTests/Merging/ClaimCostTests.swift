import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Many claims on one side of a one-to-one relationship, counted in steps of SQLite's machine.
@Suite struct ClaimCostTests {
    private static let model = """
        version: "1"
        entities:
          A: {relationships: {desk: {to: D?, inverse: owner}}}
          D: {relationships: {owner: {to: A?, inverse: desk}}}
        """

    /// Steps that one transaction with so many claims on one target takes, as inserts or as updates.
    private func steps(_ claims: Int, isInsert: Bool) throws -> Int {
        let replica = try Replica(try Model(yaml: Self.model))
        let people = (1...claims).map { Change.insert("A", $0, isInsert ? ["desk": .to(0)] : [:]) }
        let updates = isInsert ? [] : (1...claims).map { Change.update("A", $0, ["desk": .to(0)]) }
        let transaction = ForeignTransaction(1, 1, clock: 1, [.insert("D", 0)] + people + updates)
        var steps = 0
        try replica.store.write { write in
            try write.reportingProgress({ steps += 1 }) {
                try write.beginImport(writer: transaction.writer, header: transaction.header)
                try write.apply(transaction.changes)
                _ = try write.endImport()
            }
        }
        #expect(try replica.values("D", .sample(0))?["owner"] == .reference(.sample(claims)))
        return steps
    }

    @Test(arguments: [true, false]) func costIsLinear(isInsert: Bool) throws {
        let (one, two) = (try steps(1_000, isInsert: isInsert), try steps(2_000, isInsert: isInsert))
        // A caller who watches hears of it, and twice as many take twice as much; four times was the fault.
        #expect(one > 0)
        #expect(two <= 3 * one, "\(one) steps for 1,000 claims, \(two) for 2,000")
    }
}
