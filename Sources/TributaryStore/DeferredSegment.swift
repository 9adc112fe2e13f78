/// How much of an applied segment has no effect yet.
package struct DeferredSegment: Sendable, Hashable {
    package var record: SegmentRecord
    package var counts = DeferredCounts()
    /// The first write of it that has none.
    package var first: DeferredWrite?

    package init(record: SegmentRecord) {
        self.record = record
    }
}
