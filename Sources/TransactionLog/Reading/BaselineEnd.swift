package import TributaryChanges

/// The end line of a baseline, in the form of the end line of a segment.
package struct BaselineEnd: Hashable, Sendable {
    package var counts: Counts
    /// The lower-case hexadecimal SHA-256 of all bytes before this line.
    package var sha256: String

    package typealias Counts = BaselineCounts

    init(counts: Counts, sha256: String) {
        self.counts = counts
        self.sha256 = sha256
    }

    /// The line without its newline.
    package var line: String {
        SegmentEnd(
            last: UInt64(counts.writers),
            transactions: UInt64(counts.transactions),
            changes: UInt64(counts.changes),
            sha256: sha256
        ).line
    }
}
