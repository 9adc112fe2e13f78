import Foundation
import TestSupport
import Testing
import TributaryChanges

@Suite("Decimals as text")
struct DecimalTextTests {
    @Test(arguments: [
        ("0", "0"), ("-0.00", "0"), ("007", "7"), ("1.2300", "1.23"), (".5", "0.5"), ("5.", "5"), ("-1e3", "-1000"),
        ("1.25e-3", "0.00125"), ("12E+1", "120"), ("100", "100"), ("-0.10", "-0.1"),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ])
    func canonicalForms(text: String, expected: String) {
        #expect(DecimalText.canonical(text) == expected)
        #expect(DecimalText.canonical(expected) == expected)
    }

    @Test(arguments: [
        "", "-", ".", "1,5", "NaN", "1e", "1e+-2", "0x10", " 1", "1 ", "1e999999", "1e200", "1e-129", "1.2.3", "--1",
        "123456789012345678901234567890123456789", "１",
    ])
    func refused(text: String) {
        #expect(DecimalText.canonical(text) == nil)
    }

    /// Compares with Foundation's decimals, which have up to 38 digits too.
    @Test func aFractionIsMoreThanNone() {
        for (less, more) in [("1", "1.5"), ("-1.5", "-1"), ("0", "0.001")] {
            #expect(DecimalText.compare(less, more) < 0 && DecimalText.compare(more, less) > 0)
            #expect(DecimalText.compare(less, less) == 0 && DecimalText.compare(more, more) == 0)
        }
    }

    @Test func orderIsThatOfTheNumbers() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<2_000 {
            let texts = (0..<2).map { _ in
                let digits = Int64.random(in: -2_000...2_000, using: &generator)
                return "\(digits)e\(Int.random(in: -4...3, using: &generator))"
            }
            let left = try #require(DecimalText.canonical(texts[0]))
            let right = try #require(DecimalText.canonical(texts[1]))
            let (first, second) = (try #require(Decimal(string: left)), try #require(Decimal(string: right)))
            let expected = first < second ? -1 : first > second ? 1 : 0
            #expect(DecimalText.compare(left, right).signum() == expected, "\(left) \(right)")
            #expect((left == right) == (expected == 0))
        }
    }

    @Test func `sums and products are exact`() throws {
        // In units of 10⁻⁴.
        let numbers: [Int128] = [
            0, 1, -1, 9, -10, 99, 100_000, -125_000, 999_999, -1_000_000, 1_234_567_890_123_456_789,
        ]
        func text(_ count: Int128, places: Int) throws -> String {
            try #require(DecimalText.canonical("\(count)e-\(places)"))
        }
        for left in numbers {
            for right in numbers {
                let (first, second) = (try text(left, places: 4), try text(right, places: 4))
                let (sum, product) = (try text(left + right, places: 4), try text(left * right, places: 8))
                #expect(DecimalText.sum([first, second]) == sum)
                #expect(DecimalText.product(first, second) == product)
                #expect(DecimalText.sum([first, second, DecimalText.negated(first)]) == second)
            }
        }
    }
}
