/// The position of a writer: the last of its transactions in the store.
package struct WriterPosition: Hashable, Sendable {
    /// A segment with applied and waiting transactions.
    package struct Partial: Hashable, Sendable {
        package var bounds: SegmentBounds
        package var sha256: String
    }

    /// The last sequence that was applied without a gap.
    package var sequence: UInt64
    /// The hash in the end line of the last segment that is applied as a whole.
    package var lastHash: String?
    package var partial: Partial?
    /// The last sequence of the segments that are applied as a whole.
    ///
    /// A baseline moves the position, perhaps into the middle of a segment, but applies no segment.
    package var wholeThrough: UInt64

    /// `wholeThrough` is `sequence` where it is not given.
    package init(
        sequence: UInt64 = 0,
        lastHash: String? = nil,
        partial: Partial? = nil,
        wholeThrough: UInt64? = nil
    ) {
        self.sequence = sequence
        self.wholeThrough = wholeThrough ?? sequence
        self.lastHash = lastHash
        self.partial = partial
    }
}
