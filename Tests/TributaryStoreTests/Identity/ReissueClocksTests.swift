import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

@Suite struct ReissueClocksTests {
    private func clocks(_ numbers: UInt64...) -> [HybridClock] { numbers.map { HybridClock(milliseconds: $0) } }

    private func reissued(_ numbers: [HybridClock], greatest: UInt64?, floor: UInt64) -> [HybridClock] {
        let greatest = greatest.map { HybridClock(milliseconds: $0) }
        let floor = HybridClock(milliseconds: floor)
        return ReissueClocks(greatest: greatest, floor: floor, wall: 50).clocks(for: numbers)
    }

    @Test func `without a limit all clocks stay`() {
        #expect(reissued(clocks(1, 900), greatest: nil, floor: 0) == clocks(1, 900))
    }

    @Test func `clocks within the limit stay, and those from the first greater one on are drawn from the wall time`() {
        let found = reissued(clocks(10, 900, 901), greatest: 100, floor: 20)
        #expect(found == clocks(10, 50) + [HybridClock(milliseconds: 50, counter: 1)])
    }

    @Test func `a new clock is greater than the others that are not ahead and than the clocks that stay`() {
        #expect(reissued(clocks(900), greatest: 100, floor: 80) == [HybridClock(milliseconds: 80, counter: 1)])
        let found = reissued(clocks(90, 900), greatest: 100, floor: 80)
        #expect(found == clocks(90) + [HybridClock(milliseconds: 90, counter: 1)])
    }

    @Test func `nothing to issue again needs no clock`() {
        #expect(reissued([], greatest: 100, floor: 80).isEmpty)
    }
}
