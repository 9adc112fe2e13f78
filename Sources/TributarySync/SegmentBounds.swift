/// The sequences of a segment, without its writer.
package struct SegmentBounds: Hashable, Sendable {
    package var first: UInt64
    package var last: UInt64

    package init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}
