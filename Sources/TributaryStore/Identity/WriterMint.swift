package import TributaryChanges

/// The order to continue a store as another writer.
package struct WriterMint: Sendable {
    /// The last published segment as a whole.
    package enum LastSegment: Sendable, Hashable {
        /// The last one that the store has a record of.
        case recorded
        /// One that a baseline has, with its hash; nil when that is not known.
        case compacted(hash: String?)
    }

    /// Own segments in the log folder whose transactions the store has in its outbox: they count as published.
    package var published: [SegmentRecord]
    /// The last transaction that counts as published, also when it is in the middle of a segment.
    package var publishedThrough: UInt64
    /// The segment that ends with the last published transaction, where it is none of ``published`` and the store has no
    /// record of it: a baseline has its transactions.
    package var lastSegment: LastSegment
    /// The greatest clock that a transaction keeps; transactions from the first greater one on get new clocks.
    ///
    /// nil keeps all clocks.
    package var greatestClock: HybridClock?
    /// Whether another program may go on as the former writer.
    package var leavesFormerInUse: Bool

    package init(
        published: [SegmentRecord] = [],
        publishedThrough: UInt64 = 0,
        lastSegment: LastSegment = .recorded,
        greatestClock: HybridClock? = nil,
        leavesFormerInUse: Bool = false
    ) {
        self.published = published
        self.publishedThrough = publishedThrough
        self.lastSegment = lastSegment
        self.greatestClock = greatestClock
        self.leavesFormerInUse = leavesFormerInUse
    }
}
