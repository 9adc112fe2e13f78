/// All that is known of one segment.
package struct SegmentExplanation: Hashable, Sendable {
    package var status: SegmentStatus
    /// Whether no file of the segment is in the log folder, and nothing of it is applied.
    package var isMissing = false
    package var writerName: String?
    package var missing: [MissingPart] = []
    package var notes: [String] = []

    init(_ status: SegmentStatus, isMissing: Bool = false) {
        self.status = status
        self.isMissing = isMissing
    }
}
