import Testing
import TributaryAdmin
import TributaryStore

@testable import TributarySync

/// Totals, and the amounts of each minute of the last day in bounded memory.
@Suite struct ActivityMetersTests {
    private static let one = ImportCounts(segments: 1, transactions: 2, changes: 3)

    @Test func amountsOfAMinuteAreOneEntry() {
        var meters = ActivityMeters()
        meters.imported(Self.one, in: .milliseconds(20), at: .seconds(61))
        meters.imported(Self.one, in: .milliseconds(20), at: .seconds(119))
        meters.exported(Self.one, in: .seconds(1), at: .seconds(119))
        meters.merged(4, at: .seconds(120))
        #expect(meters.minutes.map(\.start) == [.seconds(60), .seconds(120)])
        #expect(meters.minutes[0].imported == Self.one + Self.one && meters.minutes[0].exported == Self.one)
        #expect(meters.minutes[1].merged == 4 && meters.minutes[1].imported == ImportCounts())
        #expect(meters.imported.changes == 6 && meters.exported.transactions == 2 && meters.merged == 4)
        #expect(meters.imports.count == 2 && meters.exports.count == 1)
    }

    @Test func aDayIsKeptAndNoMore() {
        var meters = ActivityMeters()
        for minute in 0..<4_000 { meters.imported(Self.one, in: .zero, at: .seconds(60 * minute)) }
        #expect(meters.minutes.count == ActivityMeters.limit)
        #expect(meters.minutes.first?.start == .seconds(60 * (4_000 - ActivityMeters.limit)))
        // After a day of rest nothing older is left.
        meters.exported(Self.one, in: .zero, at: .seconds(60 * 10_000))
        #expect(meters.minutes.map(\.start) == [.seconds(60 * 10_000)])
        #expect(meters.imported.transactions == 8_000)
        #expect(MemoryLayout<ActivityMeters.Minute>.stride * ActivityMeters.limit < 160_000)
    }

    @Test func durationsAreCountedBySize() {
        var histogram = DurationHistogram()
        for duration: Duration in [.microseconds(10), .milliseconds(1), .milliseconds(30), .seconds(3), .seconds(900)] {
            histogram.add(duration)
        }
        #expect(histogram.cumulative.map(\.bound) == DurationHistogram.bounds)
        #expect(histogram.cumulative.map(\.count) == [2, 2, 2, 3, 3, 3, 4, 4])
        #expect(histogram.count == 5 && abs(histogram.sum - 903.03101) < 1e-6)
        histogram.add(.seconds(-1))
        #expect(histogram.cumulative[0].count == 3 && abs(histogram.sum - 903.03101) < 1e-6)
    }
}
