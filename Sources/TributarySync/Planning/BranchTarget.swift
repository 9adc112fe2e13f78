/// The line of a writer's log to which a segment is applied.
package struct BranchTarget: Hashable, Sendable {
    /// The hash with which a branch begins; empty for the writer's first line.
    package var branch: String
    /// The last sequence of the line that is applied.
    package var after: UInt64
    /// Whether the segment begins the branch.
    package var begins: Bool
}
