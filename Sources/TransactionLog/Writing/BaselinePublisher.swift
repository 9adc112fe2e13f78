import TributaryChanges

/// Publishes whole baselines in the log folder, with the safety rules of segments.
///
/// A baseline takes long to write. It is staged in a folder of its own, so that segments are published meanwhile.
package struct BaselinePublisher: Sendable {
    private let files: FilePublisher

    package init(_ logs: LogFolder) {
        files = FilePublisher(logs)
    }

    /// Writes a baseline and renames it to its final name.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt and counts as success.
    ///
    /// - Parameters:
    ///   - name: The name of the baseline.
    ///   - body: Hands whole lines to the closure that it is given, each ended by a newline, and returns their counts.
    /// - Returns: The end line.
    /// - Throws: ``SegmentError`` `forked` when a file of this name has other bytes, `rejected` when no reader would
    ///   accept the lines; what `body` throws.
    package func publish(
        _ name: BaselineName,
        body: (([UInt8]) throws -> Void) throws -> BaselineEnd.Counts
    ) throws -> BaselineEnd {
        let file = FilePublisher.Name(writer: name.writer, fileName: name.fileName, stagingFolder: "baselines")
        return try files.publish(file) { descriptor, path in
            let file = HashedFile(descriptor: descriptor, file: path)
            var check = BaselineCheck(file: path)
            let counts = try body {
                try check.add($0)
                try file.write($0)
            }
            try check.finish(counts)
            var end = BaselineEnd(counts: counts, sha256: "")
            try file.end { hash in
                end.sha256 = hash
                return end.line
            }
            return end
        }
    }
}
