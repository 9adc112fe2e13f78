/// The number of writes of one applied segment that have no effect yet.
package struct DeferredSegment: Sendable, Hashable {
    package var record: SegmentRecord
    package var counts: DeferredCounts
}
