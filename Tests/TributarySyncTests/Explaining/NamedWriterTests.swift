import Testing
import TributaryChanges
import TributaryStore

@testable import TributarySync

@Suite struct NamedWriterTests {
    /// People know their machines by names; a store has several writers with one name.
    @Test func aTextHasTheNameOfAWriterAndTheStartOfItsUUID() throws {
        let (shop, till) = ("5f0c0000-0000-4000-8000-00000000000a", "5f0c0001-0000-4000-8000-00000000000b")
        // A store that was restored twice within a minute.
        let (first, second) = ("0190f1a2-0001-7000-8000-00000000000a", "0190f1a2-0002-7000-8000-00000000000b")
        let named: [(String, String?)] = [(shop, "shop"), (till, nil), (first, "north"), (second, "north")]
        let records = try named.map { id, name in
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
        #expect(
            known.naming("writer \(first), writer \(second)")
                == "writer north (0190f1a2-0001), writer north (0190f1a2-0002)"
        )
        for text in ["writer \(till)", "\(shop)/1.tlog", "rewriter \(shop)", "writer \(shop)0", "writer nobody"] {
            #expect(known.naming(text) == text)
        }
    }
}
