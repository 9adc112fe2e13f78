import Synchronization
import TransactionLog

/// Keeps readers of segments that the next batch applies: that of the segment that the last batch left unfinished, which
/// reads ahead during the commit, and those of segments that have been read while a batch was applied.
///
/// Readers hold the bytes that they have read ahead, so that a batch has all others dropped.
final class PausedReaders: Sendable {
    private struct Kept {
        var sha256: String
        var after: UInt64
        var reader: ReadAhead
    }

    private let kept = Mutex<[SegmentName: Kept]>([:])

    /// Removes and returns the reader of these bytes that continues after the transaction `after`.
    func removeReader(of segment: VerifiedSegment, after: UInt64) -> ReadAhead? {
        let found = kept.withLock { $0.removeValue(forKey: segment.name) }
        guard let found, found.sha256 == segment.end.sha256, found.after == after else { return nil }
        return found.reader
    }

    func store(_ reader: ReadAhead, of segment: VerifiedSegment, after: UInt64) {
        kept.withLock { $0[segment.name] = Kept(sha256: segment.end.sha256, after: after, reader: reader) }
    }

    /// Drops the readers of all other segments.
    func keep(only names: Set<SegmentName>) {
        // What is dropped ends outside of the lock.
        let all = kept.withLock { kept in
            defer { kept = kept.filter { names.contains($0.key) } }
            return kept
        }
        _ = all
    }
}
