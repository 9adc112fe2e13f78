import Testing

@testable import TributarySync

/// The export times of saves at given moments, with a quiet time of one second.
@Suite struct ExportPacingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var saves: [Double]
        var exports: [Double]

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "the first save at once", saves: [5], exports: [5]),
        Case(name: "those that follow within the second together", saves: [5, 5.125, 5.5, 5.875], exports: [5, 6]),
        Case(name: "after a quiet second at once again", saves: [5, 5.125, 7, 8], exports: [5, 6, 7, 8]),
        Case(name: "the second counts from the export", saves: [5, 5.875, 6.5], exports: [5, 6, 7]),
        Case(
            name: "never more often than once a second",
            saves: Array(stride(from: 0, to: 4, by: 0.125)),
            exports: [0, 1, 2, 3, 4]
        ),
    ]

    @Test(arguments: cases)
    func exports(_ one: Case) {
        var pacing = ExportPacing()
        var exports: [Double] = []
        for moment in one.saves where exports.last.map({ moment > $0 }) ?? true {
            // Saves before the export are exported with it.
            let export = moment + Self.seconds(pacing.rest(at: .seconds(moment), quiet: .seconds(1)))
            pacing.exported(at: .seconds(export))
            exports.append(export)
        }
        #expect(exports == one.exports)
    }

    @Test func aLongerTimeTakesEffectAtOnce() {
        var pacing = ExportPacing()
        pacing.exported(at: .seconds(10))
        #expect(pacing.rest(at: .seconds(11), quiet: .seconds(1)) == .zero)
        #expect(pacing.rest(at: .seconds(11), quiet: .seconds(5)) == .seconds(4))
        #expect(pacing.rest(at: .seconds(99), quiet: .seconds(5)) == .zero)
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
