import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A digest of deferred links, counted in instructions of SQLite's machine.
@Suite struct DeferredDigestCostTests {
    /// Instructions for the digest of a store with so many links of a relationship that the model does not have.
    private func instructions(_ count: Int) throws -> Int {
        let replica = try Replica(try Model(yaml: "version: \"1\"\nentities: {A: {}}"))
        let links = (1...count).map { Change.link("A", $0, "unknown", [0]) }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, links))
        var instructions = 0
        try replica.store.write { write in
            try write.reportingProgress(every: 1, { instructions += 1 }) { _ = try write.reader.digest() }
        }
        return instructions
    }

    @Test func costIsLinear() throws {
        let (one, eight) = (try instructions(100), try instructions(800))
        // Eight times as many take eight times as much; more than forty times was the fault.
        #expect(eight <= 12 * one, "\(one) instructions for 100 links, \(eight) for 800")
    }
}
