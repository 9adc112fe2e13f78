/// The range of sequences of a segment, without its writer.
package struct SegmentBounds: Hashable, Sendable, Comparable {
    package var first: UInt64
    package var last: UInt64

    package init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    func holds(_ sequence: UInt64) -> Bool { first <= sequence && sequence <= last }

    package static func < (left: SegmentBounds, right: SegmentBounds) -> Bool {
        (left.first, left.last) < (right.first, right.last)
    }
}
