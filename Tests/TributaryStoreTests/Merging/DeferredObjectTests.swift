import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The merge state of values that the model cannot represent follows the merge rules.
@Suite struct DeferredObjectTests {
    @Test func `a total beyond the greatest double stays a total`() {
        var object = DeferredObject(entity: "A", id: .sample(1))
        for _ in 0..<2 { object.add(.double(1e308), to: "n", of: "A", by: .sample(1)) }
        object.add(.integer(5), to: "n", of: "A", by: .sample(1))
        #expect((object.totals["n"]?[.sample(1)]?.text.count ?? 0) > 300)
        object.add(.double(-1e308), to: "n", of: "A", by: .sample(1))
        object.add(.double(-1e308), to: "n", of: "A", by: .sample(1))
        #expect(object.totals["n"]?[.sample(1)]?.text == "5")
    }

    @Test func `each writer has a total of its own, which amounts that are no numbers leave as it is`() {
        var object = DeferredObject(entity: "A", id: .sample(1))
        object.add(.integer(2), to: "n", of: "A", by: .sample(1))
        object.add(.double(0.5), to: "n", of: "A", by: .sample(1))
        object.add(.string("many"), to: "n", of: "A", by: .sample(2))
        #expect(object.totals["n"]?.mapValues(\.text) == [.sample(1): "2.5", .sample(2): "\"many\""])
        object.add(.integer(7), to: "n", of: "A", by: .sample(2))
        object.add(.string("more"), to: "n", of: "A", by: .sample(2))
        #expect(object.totals["n"]?[.sample(2)]?.text == "7")
    }

    /// Their order is part of the digest.
    @Test func `the lines of deferred writes are in the order of strings`() throws {
        let replica = try Replica(try Model(yaml: "version: \"1\"\nentities: {A: {}}"))
        let names = ["f", "e\u{301}", "z", "\u{e9}a", "E", "ff"]
        try replica.apply(ForeignTransaction(1, 1, clock: 1, zip(1..., names).map { Change.insert($1, $0) }))
        let lines = try replica.dump().split(separator: "\n").map(String.init).filter { $0.hasPrefix("parked") }
        #expect(lines.count == names.count)
        #expect(lines == lines.sorted())
        let byBytes = lines.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        #expect(lines != byBytes, "the names have the same order in both")
    }
}
