import TestSupport
import Testing
import TributaryChanges

@Suite struct CounterTotalsTests {
    /// The increments of each writer, of which a replica has applied the first ones.
    private let increments: [UniqueID: [PropertyValue]]

    init() {
        var generator = SeededGenerator(seed: 7)
        increments = Dictionary(
            uniqueKeysWithValues: (1...3).map { writer in
                let amounts = (0..<6).map { _ in
                    PropertyValue.double(Double.random(in: -1...1, using: &generator) / 3)
                }
                return (UniqueID(high: 0, low: UInt64(writer)), amounts)
            }
        )
    }

    private func totals(_ counts: [UniqueID: Int]) -> CounterTotals {
        var totals = CounterTotals()
        for (writer, count) in counts {
            for (index, amount) in (increments[writer] ?? []).prefix(count).enumerated() {
                totals.add(amount, by: writer, sequence: UInt64(index + 1))
            }
        }
        return totals
    }

    @Test func `merging two replicas is commutative, associative and idempotent`() throws {
        try MergeLaws.check(
            { generator in
                totals(increments.mapValues { Int.random(in: 0...$0.count, using: &generator) })
            },
            { first, second in
                var merged = first
                merged.merge(second)
                return merged
            }
        )
    }

    @Test func `a merge has of each writer all that either side has applied`() {
        let writers = increments.keys.sorted()
        var merged = totals([writers[0]: 2, writers[1]: 5])
        merged.merge(totals([writers[0]: 4, writers[1]: 1, writers[2]: 3]))
        #expect(merged == totals([writers[0]: 4, writers[1]: 5, writers[2]: 3]))
    }

    @Test func `fractions are added up in the writers' order, whoever was heard of first`() {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        let amounts = (0..<40).map { writer in
            (UniqueID(high: 0, low: writer), PropertyValue.double(Double.random(in: 0...1e9, using: &generator)))
        }
        func value(_ amounts: [(UniqueID, PropertyValue)]) -> PropertyValue? {
            var totals = CounterTotals()
            for (writer, amount) in amounts { totals.add(amount, by: writer, sequence: 1) }
            return totals.value
        }
        let expected = value(amounts)
        #expect(expected != nil)
        for _ in 0..<20 { #expect(value(amounts.shuffled(using: &generator)) == expected, "seed \(generator.seed)") }
        #expect(CounterTotals.value(of: amounts.map(\.1)) == expected)
    }

    @Test func `nobody has counted is no value, and integers wrap around`() {
        #expect(CounterTotals().value == nil)
        #expect(CounterTotals.sum(.integer(.max), .integer(1)) == .integer(.min))
        #expect(CounterTotals.sum(.integer(1), .double(0.5)) == .double(1.5))
        #expect(CounterTotals.sum(.double(0.5), .integer(1)) == .double(1.5))
    }
}
