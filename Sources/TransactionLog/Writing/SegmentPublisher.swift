import TributaryChanges

/// Publishes whole segments in the log folder, without ever replacing a file.
package struct SegmentPublisher: Sendable {
    /// The folder of unfinished files, which is not replicated.
    package static let stagingFolder = ".staging"

    private let files: FilePublisher

    package init(_ logs: LogFolder) {
        files = FilePublisher(logs)
    }

    /// Writes a segment and renames it to its final name.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt and counts as success.
    ///
    /// - Throws: ``SegmentError`` `forked` when a file of this name has other bytes; what `body` throws.
    package func publish(
        _ name: SegmentName,
        header: String,
        body: (SegmentWriter) throws -> Void
    ) throws -> SegmentEnd {
        try files.publish(.init(writer: name.writer, fileName: name.fileName)) { descriptor, path in
            let writer = try SegmentWriter(descriptor: descriptor, file: path, header: header)
            try body(writer)
            return try writer.finish(last: name.last)
        }
    }
}
