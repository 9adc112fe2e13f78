import TestSupport
import Testing
import TributaryChanges

@Suite struct CounterTotalsTests {
    /// Amounts whose sums depend on the order when they are rounded after each addition.
    private static let fractions: [Double] = [
        0.1, 0.2, 0.3, -0.7, 1e16, -1e16, 1e308, -1e308, Double.greatestFiniteMagnitude,
        -Double.greatestFiniteMagnitude,
        1e-300, -1e-300, Double.leastNonzeroMagnitude, Double.leastNormalMagnitude, -0.0, 0.5, 3,
    ]

    @Test func `a sum of fractions does not depend on the order of amounts and writers, nor on their grouping`() throws
    {
        var generator = SeededGenerator.printingSeed()
        var rounded = 0
        for round in LongProofs.rounds(60) {
            let amounts = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                (
                    writer: UniqueID(high: 0, low: UInt64.random(in: 1...3, using: &generator)),
                    amount: CounterTotalsTests.fractions.randomElement(using: &generator) ?? 0
                )
            }
            func totals(_ amounts: [(writer: UniqueID, amount: Double)]) -> [UniqueID: PropertyValue] {
                amounts.reduce(into: [:]) { totals, add in
                    totals[add.writer] = CounterTotals.sum(totals[add.writer], .double(add.amount))
                }
            }
            let totalsInOrder = totals(amounts)
            let expected = CounterTotals.value(of: totalsInOrder.values)
            let comment: Comment = "seed \(generator.seed), round \(round): \(amounts)"
            for _ in 0..<4 {
                let others = totals(amounts.shuffled(using: &generator))
                #expect(others == totalsInOrder, comment)
                #expect(CounterTotals.value(of: others.values) == expected, comment)
            }
            let cut = Int.random(in: 0...amounts.count, using: &generator)
            let parts = [amounts.prefix(cut), amounts.suffix(amounts.count - cut)].map { part in
                part.reduce(nil as PropertyValue?) { CounterTotals.sum($0, .double($1.amount)) }
            }
            let all = amounts.reduce(nil as PropertyValue?) { CounterTotals.sum($0, .double($1.amount)) }
            #expect(CounterTotals.value(of: parts.compactMap(\.self)) == expected, comment)
            if let first = parts[0], let second = parts[1] { #expect(CounterTotals.sum(first, second) == all, comment) }
            for part in parts.compactMap(\.self) {
                let whole = try #require(all)
                let rest = CounterTotals.difference(whole, part)
                #expect(CounterTotals.sum(rest, part) == whole, comment)
                #expect(CounterTotals.number(part.json) == part, comment)
            }
            let inOrder = amounts.reduce(0) { $0 + $1.amount }
            if .double(inOrder) != expected { rounded += 1 }
        }
        #expect(rounded > 5, "hardly any sum depends on the order")
    }

    @Test func `a sum of fractions is the nearest double, and beyond the greatest one it is that`() {
        func value(_ amounts: Double...) -> PropertyValue? {
            CounterTotals.value(of: amounts.map(PropertyValue.double))
        }
        let greatest = Double.greatestFiniteMagnitude
        #expect(value(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1) == .double(1))
        #expect(value(0.1, 0.2, 0.3, -0.6) == .double(0x1p-55))
        #expect(value(1e308, 1e308) == .double(greatest))
        #expect(value(-1e308, -1e308, -1e308) == .double(-greatest))
        #expect(value(greatest, greatest, -greatest) == .double(greatest))
        #expect(value(1e308, 1e-300, -1e308) == .double(1e-300))
        #expect(value(greatest, Double.leastNonzeroMagnitude, -greatest) == .double(Double.leastNonzeroMagnitude))
        #expect(value(0.1, -0.1)?.json.text == "0.0")
        #expect(value(-0.0)?.json.text == "0.0")
        // Half of the last place: the even neighbour.
        #expect(value(1, 0x1p-53) == .double(1))
        #expect(value(1, 0x1p-53, 0x1p-1074) == .double(1 + 0x1p-52))
        #expect(value(.infinity, .nan, 0) == .double(greatest), "not from the log")
    }

    @Test func `an exact sum has one form, which the log can hold`() {
        let sum = CounterTotals.sum(.double(0.1), .double(0.2))
        #expect(sum == .decimal("0.3000000000000000166533453693773481063544750213623046875"))
        #expect(CounterTotals.number(.string("0.30000000000000001665334536937734810635447502136230468750")) == sum)
        #expect(CounterTotals.number(.string("0.50")) == .double(0.5))
        #expect(CounterTotals.number(.string("many")) == nil)
        #expect(CounterTotals.number(.string("1e99")) == nil)
        #expect(CounterTotals.number(.string(String(repeating: "1", count: 2_000))) == nil)
    }

    @Test func `nobody has counted is no value, and integers wrap around`() {
        #expect(CounterTotals.value(of: []) == nil)
        #expect(CounterTotals.sum(.integer(.max), .integer(1)) == .integer(.min))
        #expect(CounterTotals.sum(.integer(1), .double(0.5)) == .double(1.5))
        #expect(CounterTotals.sum(.double(0.5), .integer(1)) == .double(1.5))
    }
}
