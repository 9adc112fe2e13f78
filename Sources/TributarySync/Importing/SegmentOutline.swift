package import TributaryChanges

/// The facts about a segment whose bytes have all been verified.
package struct SegmentOutline: Hashable, Sendable {
    /// The hash in the end line.
    package var sha256: String
    /// The name that the writer shows to people.
    package var name: String?
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
    /// What the writer follows, which is to be applied before its first transaction; nil for none.
    package var after: Incarnation.Predecessor?
    /// The last transaction up to which the segment was compared with what was applied; 0 for none.
    package var comparedThrough: UInt64 = 0

    /// A transaction with the transactions of other writers that must be applied before it.
    package struct UnmetDependencies: Hashable, Sendable {
        package var sequence: UInt64
        package var needs: [UniqueID: UInt64]
    }
}
