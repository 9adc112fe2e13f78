import TributaryChanges

/// Reads the header line of a segment without the rest of the file.
package enum SegmentHead {
    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> SegmentHeader {
        let reader = SegmentLineReader(source, bounds: 0..<(try source.size()))
        guard let line = try reader.next() else {
            throw SegmentError(.incomplete, file: source.file, reason: "the file is empty")
        }
        do throws(JSONError) {
            return try SegmentHeader(line: line)
        } catch {
            throw SegmentError(.rejected, file: source.file, line: 1, reason: error.reason)
        }
    }
}
