package import TributaryChanges

/// The store's record of a segment that is applied (imported) or about to be published (exported).
package struct SegmentRecord: Sendable, Hashable {
    package var writer: UniqueID
    package var first: UInt64
    package var last: UInt64
    /// The hash in the end line, in lower-case hexadecimal.
    package var sha256: String
    /// The number of values that were deferred while the segment was applied.
    package var deferredCount: Int
    /// The branch of the writer's log, named by the hash with which it begins; empty for the writer's first line.
    package var branch: String
    /// The hash of the segment before, as the header names it; empty for none, nil when it is not known.
    package var previous: String?

    package init(
        writer: UniqueID,
        first: UInt64,
        last: UInt64,
        sha256: String,
        deferredCount: Int = 0,
        branch: String = "",
        previous: String? = nil
    ) {
        self.writer = writer
        self.first = first
        self.last = last
        self.sha256 = sha256
        self.deferredCount = deferredCount
        self.branch = branch
        self.previous = previous
    }
}
