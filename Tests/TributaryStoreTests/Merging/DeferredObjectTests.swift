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
}
