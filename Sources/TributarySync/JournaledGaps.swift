import TransactionLog
import TributaryChanges

/// The writers whose gaps the journal tells of, so that each is told once.
struct JournaledGaps {
    private var writers: Set<UniqueID> = []

    /// Takes the gaps that there are; returns those that are to be told of now, and the writers whose gap is closed.
    mutating func update(
        _ gaps: [WriterGap],
        wall: UInt64,
        grace: UInt64
    ) -> (opened: [WriterGap], closed: [UniqueID]) {
        let late = gaps.filter { wall >= $0.due(grace: grace) }
        let opened = late.filter { !writers.contains($0.id.writer) }
        let closed = writers.subtracting(gaps.map(\.id.writer)).sorted()
        writers.formUnion(late.map(\.id.writer))
        writers.subtract(closed)
        return (opened, closed)
    }

    /// The wall time at which the next gap is to be told of.
    func nextDue(_ gaps: [WriterGap], grace: UInt64) -> UInt64? {
        gaps.lazy.filter { !writers.contains($0.id.writer) }.map { $0.due(grace: grace) }.min()
    }
}
