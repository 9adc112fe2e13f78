import TestSupport
import Testing
import TributaryChanges

@Suite struct MergeOrderTests {
    @Test func `the greatest owner of a target is one whatever the order of the merges`() throws {
        try MergeLaws.check(
            { generator in
                OneToOneOwner(
                    version: MergeLaws.version(&generator),
                    id: UniqueID(high: 0, low: UInt64.random(in: 1...3, using: &generator))
                )
            },
            { max($0, $1) }
        )
    }

    @Test func `the greater version owns, then the greater identifier`() {
        func owner(_ clock: UInt64, _ id: UInt64) -> OneToOneOwner {
            let version = Version(clock: HybridClock(rawValue: clock), writer: UniqueID(high: 0, low: 1))
            return OneToOneOwner(version: version, id: UniqueID(high: 0, low: id))
        }
        #expect(owner(1, 9) < owner(2, 1))
        #expect(owner(1, 1) < owner(1, 2))
    }

    @Test func `positions compare by their bytes, and equal ones by the identifier`() {
        func place(_ position: String, _ id: UInt64) -> OrderedPosition {
            OrderedPosition(position: position, id: UniqueID(high: 0, low: id))
        }
        #expect(place("a", 9) < place("b", 1))
        #expect(place("", 9) < place("a", 1))
        #expect(place("a", 1) < place("a", 2))
        #expect(place("B", 9) < place("a", 1))
        // Equal to Swift, but not byte by byte.
        #expect(place("e\u{301}", 2) < place("é", 1))
        #expect(place("é", 1) != place("e\u{301}", 1))
    }

    @Test func `ordering by positions is the same for every order of arrival`() {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        let places = (1...60).map { number in
            OrderedPosition(
                position: ["", "m", "n", "é", "e\u{301}"].randomElement(using: &generator) ?? "",
                id: UniqueID(high: 0, low: UInt64(number))
            )
        }
        for _ in 0..<20 {
            #expect(places.shuffled(using: &generator).sorted() == places.sorted(), "seed \(generator.seed)")
        }
    }
}
