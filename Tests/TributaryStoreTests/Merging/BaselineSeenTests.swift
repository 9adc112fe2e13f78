import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// The acknowledgements in a baseline, which are bounded together.
@Suite struct BaselineSeenTests {
    private static func id(_ number: Int) -> UniqueID { UniqueID(high: 0x5f0c_0000_0000_7000, low: UInt64(number)) }

    private static func writer(
        _ number: Int,
        store: Int? = nil,
        after: Int? = nil,
        seen: [Int: UInt64] = [:]
    ) -> WriterRecord {
        WriterRecord(
            id: id(number),
            name: nil,
            sequence: 5,
            clock: .zero,
            lastSegmentHash: nil,
            seen: VersionVector(Dictionary(uniqueKeysWithValues: seen.map { (id($0.key), $0.value) })),
            isSelf: false,
            incarnation: Incarnation(
                store: store.map(id),
                after: after.map { Incarnation.Predecessor(writer: id($0), sequence: 5) }
            )
        )
    }

    private static func taken(_ writers: [WriterRecord]) -> [[Int: UInt64]] {
        var seen = BaselineSeen(writers)
        return writers.map { writer in
            Dictionary(uniqueKeysWithValues: seen.take(writer).map { (Int($0.key.low), $0.value) })
        }
    }

    @Test func theFirstLineOfAStoreHasAllThatItHasAcknowledged() {
        let seen: [Int: UInt64] = [3: 2, 9: 4]
        let writers = [
            Self.writer(1, store: 1, seen: seen), Self.writer(2, store: 1, after: 1, seen: seen), Self.writer(3),
        ]
        // Of the writer 9 nothing is in the baseline.
        #expect(Self.taken(writers) == [[3: 2], [:], [:]])
    }

    /// Whoever has anything of a writer has all that it goes on from.
    @Test func whatFollowsFromAnotherEntryIsLeftOut() {
        let chain = [Self.writer(1, store: 1), Self.writer(2, store: 1, after: 1), Self.writer(3, store: 1, after: 2)]
        let reader = Self.writer(8, store: 8, seen: [1: 5, 2: 5, 3: 1])
        #expect(Self.taken(chain + [reader]).last == [3: 1])
        // What a copy has written besides follows from nothing.
        let other = Self.writer(8, store: 8, seen: [1: 7, 3: 1])
        #expect(Self.taken(chain + [other]).last == [1: 7, 3: 1])
    }

    @Test func upToAThousandStoresNothingIsLeftOut() {
        for count in [2, 1_024] {
            let seen = Dictionary(uniqueKeysWithValues: (1..<count).map { ($0, UInt64($0)) })
            let writers = [Self.writer(0, seen: seen)] + (1..<count).map { Self.writer($0) }
            #expect(Self.taken(writers).first == seen)
        }
    }

    /// The entries that begin with the next writer, and in any case one; all of them together fit into a baseline.
    @Test func eachStoreHasItsShare() {
        for count in [1_025, 2_000, 20_000, LogLimits.baselineWriters] {
            let share = BaselineSeen.share(of: count)
            #expect(share >= 1 && share <= LogLimits.seenEntries && share * count <= LogLimits.baselineSeenEntries)
        }
        let seen = Dictionary(uniqueKeysWithValues: (0..<30).filter { $0 != 20 }.map { ($0, UInt64($0 + 1)) })
        let others = (0..<LogLimits.baselineWriters).filter { $0 != 20 }.map { Self.writer($0) }
        let kept = Self.taken([Self.writer(20, seen: seen)] + others)[0]
        #expect(kept.keys.sorted() == Array(0...6) + Array(21...29))
        #expect(kept[29] == 30)
    }
}
