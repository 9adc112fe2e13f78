package import TributaryChanges

/// A segment whose bytes have been checked from the first to the last, with what is needed to plan its import and to
/// prove later that the bytes are still the same.
package struct VerifiedSegment: Sendable {
    /// Whole transactions that lie next to each other in the file, with the hash of all bytes up to them.
    package struct Slice: Sendable {
        package let first: UInt64
        package let last: UInt64
        package let changes: Int
        /// The line in the file that it begins with.
        let line: Int
        let bounds: Range<UInt64>
        /// The hash of everything before it, ready to go on.
        let hashBefore: SHA256
        /// The digest of everything up to its end.
        let digest: SHA256.Digest
    }

    /// A transaction that says what its writer had seen of others.
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
    package let firstClock: HybridClock
    /// The clock of the last transaction, the greatest of all.
    package let greatestClock: HybridClock
    /// The transactions that name something in `seen`, in order.
    package let dependencies: [Dependency]
    /// The transaction up to which `dependencies` is complete.
    ///
    /// It is the last one, unless there were more than ``SegmentVerifier/dependencyLimit``: then import up to here, and
    /// verify again from here.
    package let plannedThrough: UInt64
    package let slices: [Slice]
    /// Whether a change may name a blob; false is certain.
    package let mayNameBlobs: Bool
}
