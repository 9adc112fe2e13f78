import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

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
