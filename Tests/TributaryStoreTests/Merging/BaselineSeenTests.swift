import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// The acknowledgements in a baseline, which are bounded together.
@Suite struct BaselineSeenTests {
    private static func id(_ number: Int) -> UniqueID { UniqueID(high: 0x5f0c_0000_0000_7000, low: UInt64(number)) }

    @Test func upToAThousandWritersNothingIsLeftOut() {
        for count in [1, 2, 1_024] {
            let seen = Dictionary(uniqueKeysWithValues: (1..<count).map { (Self.id($0), UInt64($0)) })
            #expect(BaselineSeen(writerCount: count).entries(seen, of: Self.id(0)) == seen)
        }
    }

    /// The entries that begin with the next writer, and in any case one; all of them together fit into a baseline.
    @Test func eachWriterHasItsShare() {
        for count in [1_025, 2_000, 20_000, LogLimits.baselineWriters] {
            let chosen = BaselineSeen(writerCount: count)
            #expect(chosen.share >= 1 && chosen.share <= LogLimits.seenEntries)
            #expect(chosen.share * count <= LogLimits.baselineSeenEntries)
        }
        let chosen = BaselineSeen(writerCount: LogLimits.baselineWriters)
        let seen = Dictionary(uniqueKeysWithValues: (0..<30).filter { $0 != 20 }.map { (Self.id($0), UInt64($0)) })
        let kept = chosen.entries(seen, of: Self.id(20))
        #expect(kept.keys.sorted() == (Array(0...6) + Array(21...29)).map(Self.id))
        #expect(kept[Self.id(29)] == 29)
    }

    /// A store that joined an earlier baseline knows less; it chooses the same entries at a later vector.
    @Test func whoJoinedChoosesTheSame() {
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<500 {
            let (before, after) = (40_000, Int.random(in: 40_000...60_000, using: &random))
            let writer = Self.id(Int.random(in: 0..<200, using: &random))
            func some(_ count: Int) -> [UniqueID: UInt64] {
                let numbers = (0..<count).map { _ in Int.random(in: 0..<200, using: &random) }
                let pairs = numbers.map { (Self.id($0), UInt64.random(in: 1...9, using: &random)) }
                return Dictionary(pairs) { max($0, $1) }.filter { $0.key != writer }
            }
            let (all, newer) = (some(100), some(20))
            let joined = BaselineSeen(writerCount: before).entries(all, of: writer).merging(newer) { max($0, $1) }
            let applied = all.merging(newer) { max($0, $1) }
            let later = BaselineSeen(writerCount: after)
            #expect(
                later.entries(joined, of: writer) == later.entries(applied, of: writer),
                "seed \(random.seed)"
            )
        }
    }
}
