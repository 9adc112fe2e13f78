package import TributaryChanges

/// A segment as the store remembers it once it is applied (imported) or about to be published (exported).
package struct SegmentRecord: Sendable, Hashable {
    package var writer: UniqueID
    package var first: UInt64
    package var last: UInt64
    /// Lower-case hexadecimal, of the end line.
    package var sha256: String
    /// Values that were parked while it was applied.
    package var parkedCount: Int

    package init(writer: UniqueID, first: UInt64, last: UInt64, sha256: String, parkedCount: Int = 0) {
        self.writer = writer
        self.first = first
        self.last = last
        self.sha256 = sha256
        self.parkedCount = parkedCount
    }
}

/// What the store knows of a writer.
package struct WriterRecord: Sendable, Hashable {
    package var id: UniqueID
    package var name: String?
    /// Applied without a hole.
    package var sequence: UInt64
    package var clock: HybridClock
    /// The hash of the last applied segment.
    package var lastSegmentHash: String?
    /// What this writer had seen of others, accumulated.
    package var seen: VersionVector
    package var isSelf: Bool

    package init(
        id: UniqueID,
        name: String?,
        sequence: UInt64,
        clock: HybridClock,
        lastSegmentHash: String?,
        seen: VersionVector,
        isSelf: Bool
    ) {
        self.id = id
        self.name = name
        self.sequence = sequence
        self.clock = clock
        self.lastSegmentHash = lastSegmentHash
        self.seen = seen
        self.isSelf = isSelf
    }
}

/// A stretch of local transactions that is being, or has been, written as a segment.
///
/// It is committed before the file
/// is renamed into place, so that an interrupted export is finished with the same bytes.
package struct ExportRange: Sendable, Hashable {
    package var first: UInt64
    package var last: UInt64
    /// The segment's header line without its newline.
    package var header: String
    /// The end line's hash; nil until the file is in place.
    package var sha256: String?

    package init(first: UInt64, last: UInt64, header: String, sha256: String? = nil) {
        self.first = first
        self.last = last
        self.header = header
        self.sha256 = sha256
    }
}

/// A local transaction in the form in which it goes out: the log's lines.
package struct ExportableTransaction: Sendable, Hashable {
    package var sequence: UInt64
    /// The transaction line and the change lines, each ended by a newline.
    package var lines: [UInt8]
    package var changeCount: Int

    package init(sequence: UInt64, lines: [UInt8], changeCount: Int) {
        self.sequence = sequence
        self.lines = lines
        self.changeCount = changeCount
    }
}
