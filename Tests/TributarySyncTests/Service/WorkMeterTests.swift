import TestSupport
import Testing

@testable import TributarySync

@Suite struct WorkMeterTests {
    @Test func onlyWorkIsSilent() {
        let clock = ManualClock()
        let meter = WorkMeter { clock.now.offset }
        clock.advance(by: .seconds(100))
        #expect(meter.silence == nil)
        meter.begin()
        #expect(meter.silence == .zero)
        clock.advance(by: .seconds(7))
        #expect(meter.silence == .seconds(7))
        meter.step()
        #expect(meter.silence == .zero)
        #expect(meter.steps == 1)
        clock.advance(by: .seconds(3))
        meter.end()
        #expect(meter.silence == nil)
    }

    @Test func workThatBeganTwiceHasToEndTwice() {
        let clock = ManualClock()
        let meter = WorkMeter { clock.now.offset }
        meter.begin()
        clock.advance(by: .seconds(5))
        meter.begin()
        meter.end()
        clock.advance(by: .seconds(5))
        #expect(meter.silence == .seconds(5))
        meter.end()
        #expect(meter.silence == nil)
    }
}
