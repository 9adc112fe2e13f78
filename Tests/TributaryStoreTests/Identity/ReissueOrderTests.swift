import Testing
import TributaryChanges

@testable import TributaryStore

/// Which transactions may get lesser clocks, beside others that stay and are ahead.
@Suite struct ReissueOrderTests {
    private static let writer = UniqueID(high: 0x7000, low: 1 << 63 | 1)

    private static func staying(_ number: Int64, _ clock: UInt64) -> ReissueOrder.Staying {
        ReissueOrder.Staying(
            number: number,
            writer: writer,
            sequence: UInt64(number),
            clock: HybridClock(rawValue: clock)
        )
    }

    private static func reissue(
        _ number: Int64,
        _ clock: UInt64,
        to newClock: UInt64,
        least: UInt64?
    ) -> ReissueOrder.Reissue {
        ReissueOrder.Reissue(
            number: number,
            clock: HybridClock(rawValue: clock),
            newClock: HybridClock(rawValue: newClock),
            least: least.map(HybridClock.init(rawValue:))
        )
    }

    @Test func onlyWhatWasOverwrittenHinders() {
        let order = ReissueOrder([Self.staying(1, 100), Self.staying(2, 200)])
        let after = { (least: UInt64?) in order.obstacle([Self.reissue(3, 300, to: 10, least: least)]) }
        #expect(after(0) == nil && after(9) == nil)
        #expect(after(100) == Self.staying(1, 100) && after(200) == Self.staying(2, 200))
        // Nobody knows what it has overwritten.
        #expect(after(nil) == Self.staying(1, 100))
    }

    @Test func whatCameLaterAndLostHinders() {
        let order = ReissueOrder([Self.staying(1, 50), Self.staying(5, 400), Self.staying(6, 100)])
        #expect(order.obstacle([Self.reissue(3, 300, to: 10, least: 0)]) == Self.staying(6, 100))
        // A later one that has won wins all the more.
        #expect(order.obstacle([Self.reissue(3, 90, to: 10, least: 0)]) == nil)
        #expect(order.obstacle([Self.reissue(7, 500, to: 10, least: 0)]) == nil)
    }

    @Test func whatKeepsItsClockIsNotHindered() {
        let order = ReissueOrder([Self.staying(1, 100)])
        #expect(order.obstacle([Self.reissue(3, 10, to: 10, least: nil)]) == nil)
        #expect(ReissueOrder([]).obstacle([Self.reissue(3, 300, to: 10, least: nil)]) == nil)
    }
}
