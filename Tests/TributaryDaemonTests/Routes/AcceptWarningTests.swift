import Testing
import TransactionLog
import TributaryChanges
import TributarySync

@testable import TributaryDaemon

/// The warning after a held segment was accepted.
@Suite struct AcceptWarningTests {
    @Test func onlyAClockThatIsAheadIsToldOf() {
        let name = SegmentName(writer: UniqueID(high: 1, low: 1), first: 1, last: 1)
        var held = SegmentStatus(id: name, state: .held, reason: "Its key is revoked.")
        #expect(SegmentRoute.warning(held).hasPrefix("Its key is revoked. New transactions of this store wait"))
        held.isAhead = true
        #expect(SegmentRoute.warning(held).contains("until clocks have passed its time"))
    }
}
