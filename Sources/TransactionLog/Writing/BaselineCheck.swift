import TributaryChanges

/// Holds the lines of a baseline that is being written against the rules by which it will be read.
///
/// A baseline that no reader accepts must not get its name: segments would be removed for it.
struct BaselineCheck {
    private let file: String
    private var lines = BaselineLines()
    private var line = 0

    init(file: String) {
        self.file = file
    }

    /// Checks whole lines, each ended by a newline.
    ///
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

    /// Checks that nothing is missing, and the counts for the end line.
    func finish(_ counts: BaselineCounts) throws(SegmentError) {
        guard lines.isComplete, lines.counts == counts else {
            throw fault("the lines are not those that the end line would count")
        }
    }

    private func fault(_ reason: String) -> SegmentError {
        SegmentError(.rejected, file: file, line: line, reason: "no reader would accept the baseline: \(reason)")
    }
}
