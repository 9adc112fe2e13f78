import TestSupport
import Testing
import TributaryChanges

/// Conversion of dates between seconds since 2001, as in Foundation, and the decimal Unix seconds of the log.
@Suite("Date values")
struct DateValueTests {
    /// Returns seconds of our time, of all magnitudes, and of all bit patterns.
    private static func seconds(_ random: inout SeededGenerator) -> Double {
        switch UInt8.random(in: 0..<5, using: &random) {
        case 0: Double.random(in: 6e8...9e8, using: &random)
        case 1: Double.random(in: -1e9...1e10, using: &random)
        case 2: Double.random(in: -1...1, using: &random)
        case 3: (Double.random(in: -2e9...2e9, using: &random) * 1000).rounded() / 1000
        default: Double(bitPattern: random.next())
        }
    }

    private static let edges: [Double] = [
        0, -0.0, Double.leastNonzeroMagnitude, -Double.leastNonzeroMagnitude, .leastNormalMagnitude, 1e300,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        63_113_904_000, -63_114_076_800, -978_307_200, 978_307_200, 9_007_199_254_740_992, 1e17, 1e22,
        721_692_800.1230001,
    ]

    @Test func theNumberOfTheLogGivesBackTheVeryDate() throws {
        var random = SeededGenerator.printingSeed()
        var longNumbers = 0
        for round in LongProofs.rounds(5_000) {
            let seconds = round < Self.edges.count ? Self.edges[round] : Self.seconds(&random)
            guard seconds.isFinite else { continue }
            let date = DateValue(secondsSinceReferenceDate: seconds)
            switch date.json {
            case .double(let number):
                #expect(DateValue(unixSeconds: number) == date, "\(seconds)")
                #expect(DateValue(unixText: number.description) == date, "\(seconds)")
            case .number(let text):
                longNumbers += 1
                #expect(DateValue(unixText: text) == date, "\(seconds)")
                // A reader that only has doubles gets the nearest one.
                #expect(Double(text) == date.unixSeconds, "\(seconds)")
                if date.unixSeconds.magnitude > 1e8, date.unixSeconds.magnitude < 1e25 {
                    #expect(JSONValue.fraction(date.unixSeconds, text: text) == date.json, "\(seconds)")
                }
            case .integer(let number): #expect(DateValue(unixText: "\(number)") == date, "\(seconds)")
            default: Issue.record("\(seconds) has no number")
            }
        }
        #expect(longNumbers > 100)
    }

    @Test func numbersOfOthersKeepTheirDigits() throws {
        var random = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(5_000) {
            let places = Int.random(in: 0...6, using: &random)
            let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
            let micros = Int64.random(in: -2_000_000_000...2_000_000_000, using: &random) * Int64(scale)
            let number = (Double(micros) + Double(Int64.random(in: 0..<Int64(scale), using: &random))) / Double(scale)
            let date = DateValue(unixSeconds: number)
            #expect(date == DateValue(unixText: number.description))
            #expect(date.unixSeconds == number)
            #expect(date.json == .double(number))
        }
    }

    @Test func integersAgreeWithExactDecimals() throws {
        var random = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(20_000) {
            // Around each power of two, where the doubles begin to be twice as far apart, and at times of ours.
            let power = Double(sign: .plus, exponent: Int.random(in: 20...36, using: &random), significand: 1)
            let drawn =
                switch UInt8.random(in: 0..<4, using: &random) {
                case 0: Double.random(in: 1.5e9...2.2e9, using: &random)
                case 1: power * Double.random(in: 0.999_999...1.000_001, using: &random)
                case 2: Double.random(in: -7e9...7e9, using: &random)
                default: (Double.random(in: -3e9...3e9, using: &random) * 1e7).rounded() / 1e7
                }
            for seconds in [drawn.nextDown, drawn, drawn.nextUp] {
                #expect(DateValue(unixSeconds: seconds) == DateValue(unixText: seconds.description), "\(seconds)")
            }
            let places = Int.random(in: 0...8, using: &random)
            let count = Int64.random(in: -30_000_000_000_000_000...30_000_000_000_000_000, using: &random)
            let value = Double("\(count)e-\(places)") ?? 0
            let text = "\(count)e-\(places)"
            if let date = DateValue(unixCount: count, places: places) {
                #expect(date == DateValue(unixText: text), "\(text)")
                #expect(
                    JSONValue.fraction(value, digits: (count, places), text: text)
                        == JSONValue.fraction(value, text: text),
                    "\(text)"
                )
            }
        }
    }

    @Test func aTextThatIsNoNumberOrTooLongIsNone() {
        for text in ["", "-", "1e", "1e999999999999999999999", "x", "1.5x", "1e401"] {
            #expect(DateValue(unixText: text) == nil, "\(text)")
        }
        #expect(DateValue(unixText: "1." + String(repeating: "1", count: 2_000)) == nil)
        #expect(DateValue(unixText: "0.5e0")?.unixSeconds == 0.5)
        #expect(DateValue(unixSeconds: .infinity).json == .null)
        #expect(DateValue(unixSeconds: Int64.min).secondsSinceReferenceDate == -0x1p63 - 978_307_200)
        #expect(DateValue(unixSeconds: .max) > 0)
    }
}
