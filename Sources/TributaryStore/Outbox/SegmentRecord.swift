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

    package init(
        writer: UniqueID,
        first: UInt64,
        last: UInt64,
        sha256: String,
        deferredCount: Int = 0
    ) {
        self.writer = writer
        self.first = first
        self.last = last
        self.sha256 = sha256
        self.deferredCount = deferredCount
    }
}
