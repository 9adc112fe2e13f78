import TributaryChanges
import TributaryStore

/// The lines of a writer's log that a store has applied: the first one, and its branches.
///
/// A segment belongs to the line whose last segment it follows, by the hash that its header names. A segment that follows
/// an earlier one begins a branch. The hash decides, not the name, so that the order of arrival makes no difference.
struct WriterLines: Sendable {
    struct Line: Hashable, Sendable {
        /// The hash with which a branch begins; empty for the first line.
        var branch: String
        var sequence: UInt64
        /// The hash of the last segment that is applied as a whole.
        var lastHash: String?
        /// The last sequence of that segment.
        var whole: UInt64
        var partial: WriterPosition.Partial?
    }

    /// The applied segments next to a segment that is to be placed.
    struct Neighbours: Hashable, Sendable {
        /// The segments that begin with its first sequence.
        var beginning: [SegmentRecord] = []
        /// The segments that end before it.
        var preceding: [SegmentRecord] = []
        /// Whether some segment has a sequence of it.
        var overlaps = false
    }

    /// The greatest number of lines of one writer.
    static let limit = BaselineFork.lineLimit

    /// The first line, and then the branches in the order of their hashes.
    var lines: [Line]
    /// The part that came with a baseline, without its segments.
    var joined = JoinedPosition(sequence: 0, hash: nil)

    /// The last sequence that some line has reached.
    var reach: UInt64 { lines.map(\.sequence).max() ?? 0 }

    /// Finds the place of a segment; O(b) for b lines.
    func place(_ bounds: SegmentBounds, sha256: String, previous: String?, _ neighbours: Neighbours) -> BranchPlace {
        if neighbours.beginning.contains(where: { $0.last == bounds.last && $0.sha256 == sha256 }) { return .applied }
        let before = bounds.first &- 1
        // Nothing tells the segments that a baseline stands for, but the hash of the last one.
        if bounds.last <= joined.sequence, !neighbours.overlaps {
            guard joined.contradicts(bounds.last, sha256) else { return .applied }
            if let line = lines.first(where: { $0.branch == sha256 }) {
                return .next(branch: line.branch, after: line.sequence)
            }
            return lines.count < WriterLines.limit ? .start(after: before) : .tooMany
        }
        for line in lines {
            guard let partial = line.partial else { continue }
            if partial.bounds == bounds, partial.sha256 == sha256 {
                return .next(branch: line.branch, after: line.sequence)
            }
        }
        // A branch of which nothing is applied yet belongs to the segment that names it.
        if let line = lines.first(where: { $0.branch == sha256 && $0.partial == nil && $0.sequence == before }) {
            return .next(branch: line.branch, after: before)
        }
        let ends = lines.filter { $0.whole == before && ($0.branch.isEmpty || $0.lastHash != nil) }
        let previous = before == 0 ? nil : previous
        let followed = ends.filter { previous == nil || $0.lastHash == nil || $0.lastHash == previous }
        if let line = followed.first(where: { $0.partial == nil && $0.sequence == before }) {
            return .next(branch: line.branch, after: before)
        }
        let isKnown =
            !followed.isEmpty
            || previous.map { hash in neighbours.preceding.contains { $0.sha256 == hash } } ?? (before <= reach)
            || before < joined.sequence || before > 0 && before == joined.sequence && previous == joined.hash
        guard isKnown else { return .waiting(previous: previous) }
        return lines.count < WriterLines.limit ? .start(after: before) : .tooMany
    }
}
