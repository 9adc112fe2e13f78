import TestSupport
import Testing
import TributaryChanges

/// One-to-one owners and positions have an order that does not depend on the order of arrival.
@Suite struct OwnerAndPositionTests {
    @Test func `the greatest owner of a target does not depend on the order of the merges`() throws {
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
        func ordered(_ position: String, _ id: UInt64) -> OrderedPosition {
            OrderedPosition(position: position, id: UniqueID(high: 0, low: id))
        }
        #expect(ordered("a", 9) < ordered("b", 1))
        #expect(ordered("", 9) < ordered("a", 1))
        #expect(ordered("a", 1) < ordered("a", 2))
        #expect(ordered("B", 9) < ordered("a", 1))
        // Equal to Swift, but not byte by byte.
        #expect(ordered("e\u{301}", 2) < ordered("é", 1))
        #expect(ordered("é", 1) != ordered("e\u{301}", 1))
    }

    @Test func `every order of arrival ends in one order of positions`() {
        var generator = SeededGenerator.printingSeed()
        let positions = (1...60).map { number in
            OrderedPosition(
                position: ["", "m", "n", "é", "e\u{301}"].randomElement(using: &generator) ?? "",
                id: UniqueID(high: 0, low: UInt64(number))
            )
        }
        for _ in 0..<20 {
            #expect(positions.shuffled(using: &generator).sorted() == positions.sorted(), "seed \(generator.seed)")
        }
    }
}
