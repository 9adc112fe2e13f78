import TransactionLog
import TributaryChanges

/// Segments that something will have to be done about later, found without going through all of them.
struct UnsettledSegments: Sendable {
    /// Segments that wait for blobs, with the blobs.
    private(set) var blobs: [SegmentName: [String]] = [:]
    /// Segments without an end line, with the wall time at which that was found.
    private(set) var incomplete: [SegmentName: UInt64] = [:]
    /// Incomplete segments that were read once more after their grace, with the time since when they are incomplete: one that
    /// still grows may do so without anybody being told.
    private var readAfterGrace: [SegmentName: UInt64] = [:]
    /// Segments that could not be read, with the wall time at which they are tried again.
    private(set) var unreadable: [SegmentName: UInt64] = [:]

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

    /// Segments whose time to be read again has come: those that could not be read, and once those whose grace is over.
    ///
    /// - Parameters:
    ///   - wall: the wall time.
    ///   - grace: how long a segment may be incomplete.
    ///   - limit: at most so many.
    /// - Returns: Their names.
    mutating func due(wall: UInt64, grace: UInt64, limit: Int) -> [SegmentName] {
        let refused = unreadable.lazy.filter { $0.value <= wall }.map(\.key).prefix(limit)
        var due = Array(refused)
        for (id, since) in incomplete where since.addingSaturating(grace) <= wall && readAfterGrace[id] != since {
            guard due.count < limit else { break }
            readAfterGrace[id] = since
            due.append(id)
        }
        return due
    }

    /// The next wall time after `wall` at which one counts as damaged or is tried again.
    func deadline(after wall: UInt64, grace: UInt64) -> UInt64? {
        let damaged = incomplete.values.lazy.map { $0.addingSaturating(grace) }.filter { $0 > wall }.min()
        let retry = unreadable.values.lazy.filter { $0 > wall }.min()
        guard let damaged, let retry else { return damaged ?? retry }
        return min(damaged, retry)
    }
}
