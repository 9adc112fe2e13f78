/// The position of a writer: the last of its transactions in the store.
package struct WriterPosition: Hashable, Sendable {
    /// A segment with applied and waiting transactions.
    package struct Partial: Hashable, Sendable {
        package var bounds: SegmentBounds
        package var sha256: String

        package init(bounds: SegmentBounds, sha256: String) {
            self.bounds = bounds
            self.sha256 = sha256
        }
    }

    /// The last sequence that was applied without a gap.
    package var sequence: UInt64
    /// The hash in the end line of the last segment that is applied as a whole.
    package var lastHash: String?
    package var partial: Partial?

    package init(sequence: UInt64 = 0, lastHash: String? = nil, partial: Partial? = nil) {
        self.sequence = sequence
        self.lastHash = lastHash
        self.partial = partial
    }
}
