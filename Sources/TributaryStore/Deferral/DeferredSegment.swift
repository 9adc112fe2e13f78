/// How much of an applied segment has no effect yet.
package struct DeferredSegment: Sendable, Hashable {
    package var record: SegmentRecord
    package var counts: DeferredCounts
}
