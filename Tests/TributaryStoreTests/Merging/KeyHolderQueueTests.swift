import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

@Suite struct KeyHolderQueueTests {
    /// Inserts and removals in any order give the oldest holder, as a sorted array does.
    @Test func `the oldest holder comes first`() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<50 {
            var queue = Heap<KeyHolder>()
            var sorted: [KeyHolder] = []
            for number in 0..<UInt64(100) {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    #expect(queue.removeFirst() == (sorted.isEmpty ? nil : sorted.removeFirst()))
                    continue
                }
                // Holders of one transaction have the same version.
                let clock = HybridClock(milliseconds: UInt64.random(in: 0..<20, using: &generator))
                let holder = KeyHolder(
                    id: UniqueID(high: UInt64.random(in: 0..<1_000, using: &generator), low: number),
                    number: Int64(number),
                    inserted: Version(clock: clock, writer: UniqueID(high: 0, low: 1)),
                    keys: []
                )
                queue.insert(holder)
                sorted.append(holder)
                sorted.sort { ($0.inserted, $0.id) < ($1.inserted, $1.id) }
            }
            while !sorted.isEmpty { #expect(queue.removeFirst() == sorted.removeFirst()) }
            #expect(queue.removeFirst() == nil)
        }
    }
}
