package import TributaryChanges

/// The order to continue a store as another writer.
package struct WriterMint: Sendable {
    /// Own segments in the log folder whose transactions the store has in its outbox: they count as published.
    package var published: [SegmentRecord]
    /// The greatest clock that a transaction keeps; transactions from the first greater one on get new clocks.
    ///
    /// nil keeps all clocks.
    package var greatestClock: HybridClock?

    package init(published: [SegmentRecord] = [], greatestClock: HybridClock? = nil) {
        self.published = published
        self.greatestClock = greatestClock
    }
}
