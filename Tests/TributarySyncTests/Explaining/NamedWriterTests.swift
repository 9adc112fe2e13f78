import Testing
import TributaryChanges
import TributaryStore

@testable import TributarySync

@Suite struct NamedWriterTests {
    /// People know their machines by names; a store has several writers with one name.
    @Test func aTextHasTheNameOfAWriterAndTheStartOfItsUUID() throws {
        let (shop, till) = ("5f0c0000-0000-4000-8000-00000000000a", "5f0c0001-0000-4000-8000-00000000000b")
        let records = try [(shop, "shop"), (till, nil)].map { id, name in
            WriterRecord(
                id: try #require(UniqueID(id)),
                name: name,
                sequence: 1,
                clock: .zero,
                lastSegmentHash: nil,
                seen: VersionVector(),
                isSelf: false
            )
        }
        let known = KnownTransactions(records)
        #expect(
            known.naming("The clock of writer \(shop) is ahead.") == "The clock of writer shop (5f0c0000) is ahead."
        )
        for text in ["writer \(till)", "\(shop)/1.tlog", "rewriter \(shop)", "writer \(shop)0", "writer nobody"] {
            #expect(known.naming(text) == text)
        }
    }
}
