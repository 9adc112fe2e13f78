/// The size of the conflict journal.
package struct ConflictCounts: Sendable, Hashable {
    /// The conflicts in the journal.
    package var kept: Int
    /// The conflicts that newer ones have replaced, or that were only counted.
    package var dropped: Int
}
