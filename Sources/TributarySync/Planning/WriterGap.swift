package import TransactionLog
import TributaryChanges

/// The next segment of a writer, which waits for missing transactions or blobs.
package struct WriterGap: Hashable, Sendable {
    package var id: SegmentName
    /// The Unix milliseconds since which the segment waits.
    package var since: UInt64

    /// The wall time from which on the gap no longer counts as a replicator's normal delay.
    func due(grace: Duration) -> UInt64 { since.later(by: grace) }
}
