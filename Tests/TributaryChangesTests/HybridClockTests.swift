import TestSupport
import Testing
import TributaryChanges

@Suite("The hybrid logical clock")
struct HybridClockTests {
    @Test("follows wall time when that is ahead")
    func wallAhead() {
        let last = HybridClock(milliseconds: 1_000, counter: 7)
        #expect(last.next(at: 1_001) == HybridClock(milliseconds: 1_001))
    }

    @Test("counts on when wall time stands still or goes back", arguments: [1_000, 999, 0] as [WallTime])
    func wallBehind(wall: WallTime) {
        let last = HybridClock(milliseconds: 1_000, counter: 7)
        #expect(last.next(at: wall) == HybridClock(milliseconds: 1_000, counter: 8))
    }

    @Test("a full counter carries into the milliseconds")
    func carry() {
        let last = HybridClock(milliseconds: 1_000, counter: .max)
        #expect(last.next(at: 1_000) == HybridClock(milliseconds: 1_001, counter: 0))
    }

    @Test("is written as sixteen lower-case digits, and only those are read")
    func text() {
        let clock = HybridClock(rawValue: 0x019A_A3F1_C2D4_0000)
        #expect(clock.description == "019aa3f1c2d40000")
        #expect(HybridClock("019aa3f1c2d40000") == clock)
        for text in ["019AA3F1C2D40000", "19aa3f1c2d40000", "0019aa3f1c2d40000", "019aa3f1c2d4000g", ""] {
            #expect(HybridClock(text) == nil, "\(text)")
        }
    }

    @Test("has times beyond 48 bits as the greatest", arguments: [1 << 48 - 1, 1 << 48, .max] as [UInt64])
    func greatestTime(milliseconds: UInt64) {
        #expect(HybridClock(milliseconds: milliseconds).description == "ffffffffffff0000")
    }

    @Test("the last year before the end is refused")
    func lastYear() {
        #expect(HybridClock(rawValue: HybridClock.firstRefused.rawValue - 1).isAcceptable)
        #expect(!HybridClock.firstRefused.isAcceptable)
        #expect(!HybridClock(rawValue: .max).isAcceptable)
    }

    @Test("versions are ordered by clock, then by writer")
    func versions() {
        let low = UniqueID(high: 0, low: 1)
        let high = UniqueID(high: 1, low: 0)
        let early = HybridClock(milliseconds: 1)
        let late = HybridClock(milliseconds: 2)
        #expect(Version(clock: early, writer: high) < Version(clock: late, writer: low))
        #expect(Version(clock: early, writer: low) < Version(clock: early, writer: high))
        #expect(Version.none < Version(clock: .zero, writer: low))
    }
}
