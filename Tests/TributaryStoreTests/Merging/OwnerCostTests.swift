import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The cost of many owners of one target in a one-to-one relationship, in instructions of SQLite's virtual machine.
@Suite struct OwnerCostTests {
    /// The instructions of one transaction with the given number of owners of one target, as inserts or as updates.
    private func steps(_ claims: Int, isInsert: Bool) throws -> Int {
        let replica = try Replica(try DeskModel.make())
        let people = (1...claims).map { Change.insert("A", $0, isInsert ? ["desk": .to(0)] : [:]) }
        let updates = isInsert ? [] : (1...claims).map { Change.update("A", $0, ["desk": .to(0)]) }
        let transaction = ForeignTransaction(1, 1, clock: 1, [.insert("D", 0)] + people + updates)
        var steps = 0
        try replica.store.write { write in
            try write.reportingProgress({ steps += 1 }) {
                _ = try write.apply(transaction)
            }
        }
        #expect(try replica.values("D", .sample(0))?["owner"] == .reference(.sample(claims)))
        return steps
    }

    @Test(arguments: [true, false]) func costIsLinear(isInsert: Bool) throws {
        let (one, two) = (try steps(1_000, isInsert: isInsert), try steps(2_000, isInsert: isInsert))
        // An observing caller sees the instructions. Twice as many owners take twice as many; the fault took four
        // times.
        #expect(one > 0)
        #expect(two <= 3 * one, "\(one) steps for 1,000 claims, \(two) for 2,000")
    }
}
