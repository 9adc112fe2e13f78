import TransactionLog
import TributaryChanges

/// The gaps that are in the journal, so that each is logged once.
struct JournaledGaps {
    private var waiting: [UniqueID: SegmentName] = [:]

    /// Replaces the gaps; returns the gaps to log now, and the segments that no longer wait.
    mutating func update(
        _ gaps: [WriterGap],
        wall: WallTime,
        grace: Duration
    ) -> (opened: [WriterGap], closed: [SegmentName]) {
        let late = gaps.filter { wall >= $0.due(grace: grace) }
        let opened = late.filter { waiting[$0.id.writer] == nil }
        var closed = waiting
        for gap in gaps { closed[gap.id.writer] = nil }
        for writer in closed.keys { waiting[writer] = nil }
        for gap in late { waiting[gap.id.writer] = gap.id }
        return (opened, closed.values.sorted())
    }

    /// The wall time at which the next gap must be logged.
    func nextDue(_ gaps: [WriterGap], grace: Duration) -> WallTime? {
        gaps.lazy.filter { waiting[$0.id.writer] == nil }.map { $0.due(grace: grace) }.min()
    }
}
