package import TransactionLog
package import TributaryChanges

/// The next segment of a writer, which waits for missing transactions or blobs.
package struct WriterGap: Hashable, Sendable {
    package var id: SegmentName
    package var since: WallTime

    /// The wall time from which on the gap no longer counts as a replicator's normal delay.
    func due(grace: Duration) -> WallTime { since.later(by: grace) }
}
