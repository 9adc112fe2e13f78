package struct ConflictCounts: Sendable, Hashable {
    package var kept: Int
    /// The conflicts that newer ones have replaced, or that were only counted.
    package var dropped: Int
}
