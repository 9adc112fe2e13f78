/// The range of sequences of a segment, without its writer.
package struct SegmentBounds: Hashable, Sendable, Comparable {
    package var first: UInt64
    package var last: UInt64

    func holds(_ sequence: UInt64) -> Bool { first <= sequence && sequence <= last }

    package static func < (left: SegmentBounds, right: SegmentBounds) -> Bool {
        (left.first, left.last) < (right.first, right.last)
    }
}

/// What is known of one of a writer's segments; ``SegmentOrder`` has one for each bounds.
protocol BoundedSegment: Sendable {
    var bounds: SegmentBounds { get }
}
