import TestSupport
import Testing
import TributaryChanges

@Suite struct UniqueKeysTests {
    private typealias Holder = UniqueKeys<String>.Holder

    @Test func `the oldest of the objects with a key is shown, and the others stand behind it`() {
        let keys = UniqueKeys(of: [holder(3, 1, ["a"]), holder(1, 2, ["a", "b"]), holder(2, 3, ["b"])])
        // The second loses "a" to the third, so that its "b" is free.
        #expect(keys.isShown(id(3)) && !keys.isShown(id(1)) && keys.isShown(id(2)))
        #expect(keys.representatives == [id(1): id(3)])
        #expect(keys.owners == ["a": id(3), "b": id(2)])
    }

    @Test func `an object that several shown ones block is represented by the oldest of them`() {
        let keys = UniqueKeys(of: [holder(1, 5, ["a"]), holder(2, 4, ["b"]), holder(3, 6, ["a", "b"])])
        #expect(keys.representatives == [id(3): id(2)])
    }

    @Test func `an object whose key was freed is shown again`() {
        #expect(!UniqueKeys(of: [holder(1, 1, ["a"]), holder(2, 2, ["a"])]).isShown(id(2)))
        #expect(UniqueKeys(of: [holder(1, 1, ["c"]), holder(2, 2, ["a"])]).isShown(id(2)))
        #expect(UniqueKeys(of: [holder(1, 1, []), holder(2, 2, [])]).representatives.isEmpty)
    }

    @Test func `the decision depends on the set of objects alone`() {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        var hidden = 0
        for round in 0..<300 {
            let holders = (1...8).map { number in
                let keys = (0...2).compactMap { _ in ["a", "b", "c", nil].randomElement(using: &generator) ?? nil }
                return holder(number, UInt64.random(in: 1...3, using: &generator), keys)
            }
            let expected = UniqueKeys(of: holders)
            for _ in 0..<5 {
                let found = UniqueKeys(of: holders.shuffled(using: &generator))
                #expect(found.representatives == expected.representatives, "seed \(generator.seed), round \(round)")
                #expect(found.owners == expected.owners, "seed \(generator.seed), round \(round)")
            }
            hidden += expected.representatives.count
            for (shadow, representative) in expected.representatives {
                #expect(!expected.isShown(shadow) && expected.isShown(representative), "round \(round)")
            }
        }
        #expect(hidden > 300, "\(hidden) objects have a representative")
    }

    private func id(_ number: Int) -> UniqueID { UniqueID(high: 0, low: UInt64(number)) }

    private func holder(_ number: Int, _ clock: UInt64, _ keys: [String]) -> Holder {
        let version = Version(clock: HybridClock(rawValue: clock), writer: UniqueID(high: 0, low: 1))
        return Holder(id: id(number), inserted: version, keys: keys)
    }
}
