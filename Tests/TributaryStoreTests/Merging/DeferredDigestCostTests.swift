import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The cost of a digest of deferred links and deletions, in instructions of SQLite's virtual machine.
@Suite struct DeferredDigestCostTests {
    /// The instructions for the digest of a store with changes of an entity or relationship that its model lacks.
    private func instructions(_ changes: [Change]) throws -> Int {
        let replica = try Replica(try Model(yaml: "version: \"1\"\nentities: {A: {}}"))
        try replica.apply(ForeignTransaction(1, 1, clock: 1, changes))
        var instructions = 0
        try replica.store.write { write in
            try write.reportingProgress(every: 1, { instructions += 1 }) { _ = try write.reader.mergeState.digest() }
        }
        return instructions
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
