import StoreTestSupport
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

@Suite struct WriterNeighboursTests {
    private func identifier(_ proposed: Int, near former: Int, among others: [Int]) -> UniqueID {
        var generator = SeededGenerator.fromEnvironment()
        return WriterNeighbours(of: .sample(former), among: others.map { .sample($0) })
            .identifier(.sample(proposed), near: .sample(former)) { generator.next() }
    }

    @Test func `a proposed identifier with the place of the former one is taken`() {
        #expect(identifier(900, near: 5, among: []) == .sample(900))
        #expect(identifier(900, near: 5, among: [3]) == .sample(900))
        #expect(identifier(900, near: 5, among: [3, 901]) == .sample(900))
    }

    @Test func `another one is found near the former one, however close the neighbours are`() {
        for others in [[0x4000], [0x1000, 0x4000], [0x2000 - 2, 0x2002], [0x1FFF, 0x2002]] {
            let found = identifier(0x9000, near: 0x2000, among: others)
            #expect(found != .sample(0x2000))
            for other in others { #expect((found < .sample(other)) == (0x2000 < other)) }
        }
    }
}
