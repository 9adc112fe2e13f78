import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The cost of links whose ends are not visible, in instructions of SQLite's virtual machine.
@Suite struct InvisibleLinkCostTests {
    /// The instructions for inserts and deletions in a store with the given links to an object that was never inserted.
    private func instructions(links count: Int, of relationship: String, _ entity: String) throws -> Int {
        let replica = try Replica(try DeskModel.make())
        let links = (1...count).map { Change.link("A", $0, relationship, [0]) }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, links))
        let others = (2_001...2_050).map { Change.insert(entity, $0) }
        var instructions = 0
        try replica.store.write { write in
            try write.reportingProgress(every: 1, { instructions += 1 }) {
                let gone = others.map { Change(entity: $0.entity, id: $0.id, operation: .delete) }
                for (sequence, changes) in [others, gone].enumerated() {
                    let number = UInt64(sequence) + 2
                    let transaction = ForeignTransaction(1, number, clock: number, changes)
                    try write.apply(transaction)
                }
            }
        }
        return instructions
    }

    @Test(arguments: [("desks", "A"), ("desks", "D"), ("friends", "A")])
    func othersDoNotPayForThem(relationship: String, entity: String) throws {
        let few = try instructions(links: 100, of: relationship, entity)
        let many = try instructions(links: 1_600, of: relationship, entity)
        #expect(many <= 2 * few, "\(few) instructions beside 100 links, \(many) beside 1,600")
    }
}
