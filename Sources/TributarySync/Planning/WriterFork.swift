package import TributaryChanges

/// A writer whose log has branches: two programs have written as it.
package struct WriterFork: Hashable, Sendable {
    package var writer: UniqueID
    package var name: String?
    /// The first sequence of which there is other content.
    package var sequence: UInt64
    /// The hash of the segment of the first line that has that sequence; nil when it came with a baseline.
    package var firstHash: String?
    /// The hash with which the branch begins.
    package var branchHash: String
    /// The number of branches besides the first line.
    package var branches: Int
    package var since: WallTime
}
