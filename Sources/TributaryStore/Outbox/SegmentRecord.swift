package import TributaryChanges

/// A segment as the store remembers it once it is applied (imported) or about to be published (exported).
package struct SegmentRecord: Sendable, Hashable {
    package var writer: UniqueID
    package var first: UInt64
    package var last: UInt64
    /// Lower-case hexadecimal, of the end line.
    package var sha256: String
    /// Values that were deferred while it was applied.
    package var deferredCount: Int

    package init(writer: UniqueID, first: UInt64, last: UInt64, sha256: String, deferredCount: Int = 0) {
        self.writer = writer
        self.first = first
        self.last = last
        self.sha256 = sha256
        self.deferredCount = deferredCount
    }
}
