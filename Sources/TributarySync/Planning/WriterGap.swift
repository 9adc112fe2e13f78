package import TransactionLog
import TributaryChanges

/// A segment with which its writer would go on, if what it waits for were here.
package struct WriterGap: Hashable, Sendable {
    package var id: SegmentName
    /// Unix milliseconds.
    package var since: UInt64

    /// The wall time from which on it is more than a replicator at work.
    func due(grace: UInt64) -> UInt64 { since.addingSaturating(grace) }
}
