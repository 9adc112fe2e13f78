import TestSupport
import Testing
import TransactionLog

@testable import TributarySync

extension SegmentBounds: BoundedSegment {
    var bounds: SegmentBounds { self }
}

/// Compares the order of segments with a plain list that is searched from end to end.
@Suite struct SegmentOrderTests {
    @Test func itFindsWhatAPlainListFinds() {
        var generator = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(150) {
            var order = SegmentOrder<SegmentBounds>()
            var plain: Set<SegmentBounds> = []
            var position: UInt64 = 0
            for _ in 0..<40 {
                switch generator.next() % 5 {
                case 0, 1:
                    let bounds = bounds(after: position, &generator)
                    if plain.insert(bounds).inserted { order.insert(bounds) }
                case 2:
                    let bounds = plain.randomElement(using: &generator) ?? bounds(after: position, &generator)
                    #expect((order.remove(bounds) != nil) == (plain.remove(bounds) != nil))
                case 3:
                    position += generator.next() % 6
                    let covered = plain.filter { $0.last <= position }
                    #expect(Set(order.removeCovered(through: position)) == covered)
                    plain.subtract(covered)
                default:
                    for _ in 0..<5 { plain.insert(bounds(after: position, &generator)) }
                    // A folder that changes while it is listed may show a name twice.
                    order.replace(with: Array(plain) + plain.prefix(3))
                }
                expectEqual(order, plain, near: position)
            }
        }
    }

    private func bounds(after position: UInt64, _ generator: inout SeededGenerator) -> SegmentBounds {
        let last = position + 1 + generator.next() % 30
        return SegmentBounds(first: max(1, last - min(last - 1, generator.next() % 8)), last: last)
    }

    private func overlap(_ one: SegmentBounds, _ other: SegmentBounds) -> Bool {
        one.first <= other.last && other.first <= one.last
    }

    private func expectEqual(_ order: SegmentOrder<SegmentBounds>, _ plain: Set<SegmentBounds>, near position: UInt64) {
        let sorted = plain.sorted()
        #expect(Array(order.slice()) == sorted && order.count == sorted.count)
        for sequence in position...(position + 32) {
            #expect(order.holders(of: sequence) == sorted.filter { $0.holds(sequence) })
        }
        for bounds in sorted {
            #expect(order.overlapping(bounds) == sorted.filter { overlap($0, bounds) })
        }
    }
}
