import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Counters with fractions in stores that defer some increments and take them up later.
@Suite struct CounterFractionTests {
    private static let named =
        "  A: {attributes: {x: String?, c: {type: Double, optional: true, merge: counter}}}"
    private static let renamed =
        "  A: {attributes: {x: String?, d: {type: Double, optional: true, merge: counter, renamed_from: c}}}"
    private static let without = "  A: {attributes: {x: String?}}"

    private func increment(_ amount: Double) -> JSONValue {
        .object([JSONMember(key: "increment", value: .double(amount))])
    }

    @Test func `increments under a later name count as if they had been known from the start`() throws {
        let story = try MigrationStory(Self.named, Self.renamed)
        try story.apply(.insert("A", 1, ["c": increment(0.3)]))
        try story.apply(.update("A", 1, ["d": increment(0.1)]))
        try story.apply(.update("A", 1, ["c": increment(0.2)]))
        try story.migrate()
        #expect(try story.rows("SELECT d FROM A") == [["0.6"]])
        try story.expectOneState()
    }

    @Test func `a counter that goes and comes back keeps its exact total`() throws {
        let story = try MigrationStory(Self.named, Self.without)
        let amounts = [0.1, 0.2, 1e308, 1e308, -0.3, 1e-300]
        for amount in amounts { try story.apply(.update("A", 1, ["c": increment(amount)])) }
        try story.apply(.insert("A", 1))
        try story.migrateToOneState()
        for amount in amounts.reversed() { try story.apply(.update("A", 1, ["c": increment(-amount)])) }
        try story.apply(.update("A", 1, ["c": increment(0.7)]))
        try story.expectOneState()
        try story.reopen(Self.named.replacing("x: String?", with: "x: String?, y: String?"))
        #expect(try story.rows("SELECT c FROM A") == [["0.7"]])
        try story.expectOneState()
    }

    @Test func `random increments under any name of the counter give one total`() throws {
        var random = SeededGenerator.printingSeed()
        for round in LongProofs.rounds(8) {
            let story = try MigrationStory(Self.named, Self.renamed)
            let steps = Int.random(in: 3...12, using: &random)
            let migrated = Int.random(in: 0..<steps, using: &random)
            try story.apply(.insert("A", 1))
            for step in 0..<steps {
                if step == migrated { try story.migrate() }
                let amounts: [Double] = [0.1, 0.2, 0.3, -0.7, 1e16, 1e308, -1e308, 1e-300]
                let value = increment(amounts[Int.random(in: amounts.indices, using: &random)])
                try story.apply(.update("A", 1, Bool.random(using: &random) ? ["c": value] : ["d": value]))
            }
            let (first, second) = (try story.migrated.dump(), try story.fresh.dump())
            #expect(first == second, "seed \(random.seed), round \(round)")
            #expect(try story.migrated.digest() == story.fresh.digest(), "seed \(random.seed), round \(round)")
        }
    }
}
