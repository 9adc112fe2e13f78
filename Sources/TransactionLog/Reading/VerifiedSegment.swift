package import TributaryChanges

/// A segment whose bytes have all been verified, with the information to plan its import and to prove later that the
/// bytes are unchanged.
package struct VerifiedSegment: Sendable {
    /// Consecutive whole transactions of the file, with the hash of all bytes up to their end.
    package struct Slice: Sendable {
        package let last: UInt64
        package let changes: Int
        /// The number of its first line in the file.
        let line: Int
        let bounds: Range<UInt64>
        /// The hash of all bytes before the slice, ready for more bytes.
        let hashBefore: SHA256
        /// The digest of all bytes up to the end of the slice.
        let digest: SHA256.Digest
    }

    /// A transaction that states which transactions of other writers its writer had seen.
    package struct Dependency: Hashable, Sendable {
        package let sequence: UInt64
        package let seen: [UniqueID: UInt64]

        package init(sequence: UInt64, seen: [UniqueID: UInt64]) {
            self.sequence = sequence
            self.seen = seen
        }
    }

    package let name: SegmentName
    package let file: String
    package let header: SegmentHeader
    package let end: SegmentEnd
    package let fileSize: UInt64
    package let greatestClock: HybridClock
    /// The first transactions with entries in `seen`, in order.
    ///
    /// The list ends at ``SegmentVerifier/dependencyLimit`` transactions, or when they have more than
    /// ``SegmentVerifier/dependencyEntryLimit`` entries.
    ///
    /// The import looks at the entries of each transaction again.
    package let dependencies: [Dependency]
    package let slices: [Slice]
    /// Whether a change may reference a blob; when it is false, no change does.
    package let mayNameBlobs: Bool
    /// The content in one batch for each slice, if the verifier was asked to keep it, and it is short and only rows.
    package var batches: [SegmentBatch] = []
}
