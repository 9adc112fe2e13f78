/// How far a writer's transactions are in the store.
package struct WriterPosition: Hashable, Sendable {
    /// A segment of which some transactions are applied and others wait.
    package struct Partial: Hashable, Sendable {
        package var bounds: SegmentBounds
        package var sha256: String

        package init(bounds: SegmentBounds, sha256: String) {
            self.bounds = bounds
            self.sha256 = sha256
        }
    }

    /// Applied without a hole.
    package var sequence: UInt64
    /// The end line's hash of the last segment that is applied as a whole.
    package var lastHash: String?
    package var partial: Partial?

    package init(sequence: UInt64 = 0, lastHash: String? = nil, partial: Partial? = nil) {
        self.sequence = sequence
        self.lastHash = lastHash
        self.partial = partial
    }
}
