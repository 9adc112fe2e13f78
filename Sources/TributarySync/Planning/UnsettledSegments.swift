import TransactionLog
import TributaryChanges

/// The segments that need a later action, found without visiting all segments.
struct UnsettledSegments: Sendable {
    private(set) var blobs: [SegmentName: [String]] = [:]
    /// The segments without an end line, with the wall time at which that was found.
    private(set) var incomplete: [SegmentName: WallTime] = [:]
    /// The incomplete segments that were read once more after their grace, with the time since which they are
    /// incomplete.
    ///
    /// A segment that still grows may do so without an event.
    private var readAfterGrace: [SegmentName: WallTime] = [:]
    /// The segments that could not be read, with the wall time at which they are tried again.
    private(set) var unreadable: [SegmentName: WallTime] = [:]

    mutating func update(_ id: SegmentName, _ knowledge: PlannedSegment.Knowledge) {
        let isReadAfterGrace = readAfterGrace[id]
        remove(id)
        switch knowledge {
        case .valid(let segment): if !segment.missingBlobs.isEmpty { blobs[id] = segment.missingBlobs }
        case .incomplete(_, _, let since):
            incomplete[id] = since
            if isReadAfterGrace == since { readAfterGrace[id] = since }
        case .unreadable(_, let retry): unreadable[id] = retry
        case .unknown, .bad: break
        }
    }

    mutating func remove(_ id: SegmentName) {
        if !blobs.isEmpty { blobs[id] = nil }
        if !incomplete.isEmpty { incomplete[id] = nil }
        if !unreadable.isEmpty { unreadable[id] = nil }
        if !readAfterGrace.isEmpty { readAfterGrace[id] = nil }
    }

    /// The segments that are due to be read again: unreadable ones, and incomplete ones once after their grace.
    mutating func due(wall: WallTime, grace: Duration, limit: Int) -> [SegmentName] {
        let refused = unreadable.lazy.filter { $0.value <= wall }.map(\.key).prefix(limit)
        var due = Array(refused)
        for (id, since) in incomplete where since.later(by: grace) <= wall && readAfterGrace[id] != since {
            guard due.count < limit else { break }
            readAfterGrace[id] = since
            due.append(id)
        }
        return due
    }

    /// The next wall time after `wall` at which a segment counts as damaged or is tried again.
    func deadline(after wall: WallTime, grace: Duration) -> WallTime? {
        let damaged = incomplete.values.lazy.map { $0.later(by: grace) }.filter { $0 > wall }.min()
        let retry = unreadable.values.lazy.filter { $0 > wall }.min()
        guard let damaged, let retry else { return damaged ?? retry }
        return min(damaged, retry)
    }
}
