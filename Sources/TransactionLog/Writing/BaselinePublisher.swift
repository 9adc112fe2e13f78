package import TributaryChanges

/// A baseline takes long to write: it is staged in a folder of its own, so that segments are published meanwhile.
package struct BaselinePublisher: Sendable {
    private let files: FilePublisher

    package init(_ logs: LogFolder) {
        files = FilePublisher(logs: logs)
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
        body: (([UInt8]) throws -> Void) throws -> BaselineCounts
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

/// Holds the lines of a baseline that is being written against the rules by which it will be read.
///
/// A baseline that no reader accepts must not get its name: segments would be removed for it.
struct BaselineCheck {
    let file: String
    private(set) var lines = BaselineLines()
    private(set) var line = 0

    /// - Throws: ``SegmentError`` `rejected` with the line and the reason.
    mutating func add(_ bytes: [UInt8]) throws(SegmentError) {
        var start = 0
        while start < bytes.count {
            line += 1
            guard let end = bytes[start...].firstIndex(of: 0x0A) else { throw fault("the line has no newline") }
            guard end - start <= SegmentLineReader.lineLimit else {
                throw fault("the line has \(end - start) bytes, more than \(SegmentLineReader.lineLimit)")
            }
            let range = start..<end
            let result = bytes.withUnsafeBufferPointer { buffer in
                Result { () throws(JSONError) in
                    _ = try lines.next(UnsafeBufferPointer(rebasing: buffer[range]))
                }
            }
            if case .failure(let error) = result { throw fault(error.reason) }
            start = end + 1
        }
    }

    func finish(_ counts: BaselineCounts) throws(SegmentError) {
        guard lines.isComplete, lines.counts == counts else {
            throw fault("the lines are not those that the end line would count")
        }
    }

    private func fault(_ reason: String) -> SegmentError {
        SegmentError(.rejected, file: file, line: line, reason: "no reader would accept the baseline: \(reason)")
    }
}
