import Synchronization
import TransactionLog

/// The reader of the segment that the last batch has left in the middle: it goes on reading while that is committed.
///
/// One is kept at most, since it holds what it has read ahead.
final class PausedReader: Sendable {
    private struct Kept {
        var name: SegmentName
        var sha256: String
        var after: UInt64
        var reader: ReadAhead
    }

    private let kept = Mutex<Kept?>(nil)

    /// Removes and returns the reader of these bytes that goes on behind the transaction `after`; none is kept any more.
    func removeReader(of segment: VerifiedSegment, after: UInt64) -> ReadAhead? {
        let found = kept.withLock { $0.take() }
        guard let found, found.name == segment.name, found.sha256 == segment.end.sha256, found.after == after else {
            return nil
        }
        return found.reader
    }

    func store(_ reader: ReadAhead, of segment: VerifiedSegment, after: UInt64) {
        kept.withLock {
            $0 = Kept(name: segment.name, sha256: segment.end.sha256, after: after, reader: reader)
        }
    }
}
