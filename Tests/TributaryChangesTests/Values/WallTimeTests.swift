import Foundation
import TestSupport
import Testing
import TributaryChanges

@Suite struct WallTimeTests {
    @Test func durationsMoveATimeByTheirWholeMilliseconds() {
        let time: WallTime = 1_000
        #expect(time.later(by: .milliseconds(5)) == 1_005 && time.earlier(by: .milliseconds(5)) == 995)
        #expect(time.later(by: .microseconds(1_999)) == 1_001 && time.earlier(by: .microseconds(1_999)) == 999)
        #expect(time.later(by: .milliseconds(-5)) == 995 && time.earlier(by: .milliseconds(-5)) == 1_005)
        #expect(time.later(by: .microseconds(-1_999)) == 999)
        #expect(WallTime(milliseconds: 1_005).duration(since: time) == .milliseconds(5))
        #expect(time.duration(since: 1_005) == .zero)
    }

    @Test func timesEndAtTheLimitsOfTheirNumbers() {
        let (first, last) = (WallTime(milliseconds: 0), WallTime(milliseconds: .max))
        #expect(first.earlier(by: .seconds(1)) == first && last.later(by: .seconds(1)) == last)
        #expect(first.later(by: .seconds(Int64.max)) == last && last.earlier(by: .seconds(Int64.max)) == first)
        #expect(last.later(by: .seconds(Int64.min)) == first && first.earlier(by: .seconds(Int64.min)) == last)
        #expect(last.duration(since: first) == .milliseconds(UInt64.max))
    }

    @Test func movingATimeIsClampedArithmetic() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<20_000 {
            let number = HostileNumbers.unsigned(&generator)
            let seconds = HostileNumbers.signed(&generator)
            let distance = Int128(seconds) * 1_000
            func time(_ number: Int128) -> WallTime { WallTime(milliseconds: UInt64(clamping: number)) }
            let start = WallTime(milliseconds: number)
            #expect(start.later(by: .seconds(seconds)) == time(Int128(number) + distance), "\(number) \(seconds)")
            #expect(start.earlier(by: .seconds(seconds)) == time(Int128(number) - distance), "\(number) \(seconds)")
            let other = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
            let passed = start.duration(since: other)
            #expect(passed >= .zero && (start <= other) == (passed == .zero))
            #expect(passed == .zero || other.later(by: passed) == start, "\(start) \(other)")
        }
    }

    @Test func unixSecondsAreReadBackExactly() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<100_000 {
            let time = WallTime(milliseconds: generator.next() >> (14 + generator.next() % 40))
            #expect(time.unixSeconds == Double(time.milliseconds) / 1_000)
            #expect(WallTime(unixSeconds: time.unixSeconds) == time, "\(time)")
        }
    }

    @Test(
        arguments: [
            (-1, 0), (-.infinity, 0), (.nan, 0), (-0.0, 0), (0.000_4, 0), (0.000_6, 1), (1.5, 1_500), (1e300, .max),
            (.infinity, .max), (1.844_674_407_370_955_2e16, .max),
        ] as [(Double, UInt64)]
    )
    func everyNumberOfSecondsIsATime(seconds: Double, milliseconds: UInt64) {
        #expect(WallTime(unixSeconds: seconds) == WallTime(milliseconds: milliseconds))
    }

    @Test func aDateBecomesItsLastWholeMillisecond() {
        #expect(WallTime(Date(timeIntervalSince1970: 1_700_000_000.25)) == 1_700_000_000_250)
        #expect(WallTime(Date(timeIntervalSince1970: 1_700_000_000.250_9)) == 1_700_000_000_250)
        #expect(WallTime(Date.distantPast) == 0 && WallTime(Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
        #expect(WallTime(milliseconds: 1_700_000_000_250).date == Date(timeIntervalSince1970: 1_700_000_000.25))
    }

    @Test func anEarlierTimeIsLess() {
        #expect(WallTime(milliseconds: 1) < 2 && !(WallTime(milliseconds: 2) < 2))
        #expect("\(WallTime(milliseconds: 1_718_900_000_000))" == "1718900000000")
    }
}
