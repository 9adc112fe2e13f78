package import TransactionLog
import TributaryChanges

/// A file with the content of a segment, under the segment's name or under that of a replicator's conflict copy.
package struct SegmentFile: Hashable, Sendable, Comparable {
    package var id: SegmentName
    package var fileName: String

    package init(id: SegmentName, fileName: String? = nil) {
        self.id = id
        self.fileName = fileName ?? id.fileName
    }

    /// The path below the log folder.
    package var path: String { "\(id.writer)/\(fileName)" }

    /// Whether the file has the segment's own name.
    var hasOwnName: Bool { fileName == id.fileName }

    package static func < (left: SegmentFile, right: SegmentFile) -> Bool {
        left.id == right.id ? left.fileName.precedesByBytes(right.fileName) : left.id < right.id
    }
}
