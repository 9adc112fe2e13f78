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
        let steps = try replica.steps { _ = try $0.apply(transaction) }
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

/// The cost of links whose ends are not visible, in instructions of SQLite's virtual machine.
@Suite struct InvisibleLinkCostTests {
    /// The instructions for inserts and deletions in a store with the given links to an object that was never inserted.
    private func instructions(links count: Int, of relationship: String, _ entity: String) throws -> Int {
        let replica = try Replica(try DeskModel.make())
        let links = (1...count).map { Change.link("A", $0, relationship, [0]) }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, links))
        let others = (2_001...2_050).map { Change.insert(entity, $0) }
        let gone = others.map { Change(entity: $0.entity, id: $0.id, operation: .delete) }
        return try replica.steps(every: 1) { write in
            for (number, changes) in zip(UInt64(2)..., [others, gone]) {
                try write.apply(ForeignTransaction(1, number, clock: number, changes))
            }
        }
    }

    @Test(arguments: [("desks", "A"), ("desks", "D"), ("friends", "A")])
    func othersDoNotPayForThem(relationship: String, entity: String) throws {
        let few = try instructions(links: 100, of: relationship, entity)
        let many = try instructions(links: 1_600, of: relationship, entity)
        #expect(many <= 2 * few, "\(few) instructions beside 100 links, \(many) beside 1,600")
    }
}

/// The cost of a digest of deferred links and deletions, in instructions of SQLite's virtual machine.
@Suite struct DeferredDigestCostTests {
    /// The instructions for the digest of a store with changes of an entity or relationship that its model lacks.
    private func instructions(_ changes: [Change]) throws -> Int {
        let replica = try Replica(try Model(yaml: "version: \"1\"\nentities: {A: {}}"))
        try replica.apply(ForeignTransaction(1, 1, clock: 1, changes))
        return try replica.steps(every: 1) { _ = try $0.reader.mergeState.digest() }
    }

    private func links(_ count: Int) -> [Change] { (1...count).map { .link("A", $0, "unknown", [0]) } }

    @Test func costOfLinksIsLinear() throws {
        let (one, eight) = (try instructions(links(100)), try instructions(links(800)))
        // Eight times as many links take eight times as many instructions; the fault took more than forty times.
        #expect(eight <= 12 * one, "\(one) instructions for 100 links, \(eight) for 800")
    }

    /// The digest looks up, for each link, the last deletion of its target.
    @Test func costOfLinksOntoAnObjectDeletedOftenIsLinear() throws {
        func instructions(_ count: Int) throws -> Int {
            try self.instructions((1...count).map { _ in .delete("Unknown", 0) } + links(count))
        }
        let (one, eight) = (try instructions(100), try instructions(800))
        // When each link read all deletions, the digest took more than fifty times as many instructions.
        #expect(eight <= 12 * one, "\(one) instructions for 100 deletions and links, \(eight) for 800")
    }
}
