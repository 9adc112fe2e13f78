import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

@Suite struct SeenSequencesTests {
    /// A writer and a transaction of it.
    private struct Link {
        var index: Int
        var sequence: UInt64
    }

    /// Compares random lines of writers, with copies, with a walk back from writer to writer.
    @Test func aWriterHasSeenWhatItGoesOnFrom() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(20) {
            let ids = (0..<60).map { UniqueID.sample(0xE000 + $0) }
            let links = ids.indices.map { index -> Link? in
                guard index > 0, generator.next() % 10 > 0 else { return nil }
                return Link(
                    index: Int.random(in: max(0, index - 2)..<index, using: &generator),
                    sequence: UInt64.random(in: 1...3, using: &generator)
                )
            }
            let replica = try Replica()
            try replica.store.write { transaction in
                for (id, link) in zip(ids, links) {
                    let after = link.map { Incarnation.Predecessor(writer: ids[$0.index], sequence: $0.sequence) }
                    try transaction.meet(id, Incarnation(after: after))
                }
                let rows = try ids.map { try transaction.writers().position(of: $0).id }
                let seen = try SeenSequences(transaction.db)
                for _ in 0..<500 {
                    let writer = Int.random(in: 1..<ids.count, using: &generator)
                    let other = Int.random(in: 0..<writer, using: &generator)
                    let sequence = UInt64.random(in: 1...3, using: &generator)
                    let found = try seen.had(sequence, of: rows[other], seenBy: rows[writer], at: 1)
                    var (last, isSeen) = (writer, false)
                    while let link = links[last], !isSeen {
                        isSeen = link.index == other && link.sequence >= sequence
                        last = link.index
                    }
                    #expect((found == true) == isSeen, "\(sequence) of \(other) by \(writer)")
                }
            }
        }
    }
}
