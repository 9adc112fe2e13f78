import Synchronization
import TransactionLog

/// Keeps the reader of the segment that the last batch left unfinished; it reads ahead during the commit.
///
/// It keeps at most one reader, because a reader holds the bytes that it has read ahead.
final class PausedReader: Sendable {
    private struct Kept {
        var name: SegmentName
        var sha256: String
        var after: UInt64
        var reader: ReadAhead
    }

    private let kept = Mutex<Kept?>(nil)

    /// Removes and returns the reader of these bytes that continues after the transaction `after`; drops any other
    /// reader.
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
