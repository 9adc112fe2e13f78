package import TributaryChanges

/// The facts about a segment whose bytes have all been verified.
package struct SegmentOutline: Hashable, Sendable {
    /// The hash in the end line.
    package var sha256: String
    /// The name that the writer shows to people.
    package var name: String?
    /// The hash in the end line of the writer's preceding segment, when the header contains it.
    package var previous: String?
    package var transactions: Int
    package var changes: Int
    /// The clock of the last transaction, which is the greatest, because the clocks of a writer grow.
    package var lastClock: HybridClock
    /// The blobs that the segment names and that are missing.
    package var missingBlobs: [String] = []
    /// A fault in the size of one of them; nil for none.
    package var blobFault: BlobFault?
    /// The first transaction whose dependencies were unmet when the segment was verified.
    package var unmet: UnmetDependencies?

    /// A transaction with the transactions of other writers that must be applied before it.
    package struct UnmetDependencies: Hashable, Sendable {
        package var sequence: UInt64
        package var needs: [UniqueID: UInt64]
    }
}
