package import TributaryChanges

/// A baseline as its first lines and its end line tell it; the lines between them are not read.
package struct BaselineOutline: Hashable, Sendable {
    package let header: BaselineHeader
    package let writers: [BaselineWriter]
    /// The hash in the end line, which only ``VerifiedBaseline`` compares with the bytes.
    package let sha256: String
    package let bytes: UInt64

    /// Reads the header, the lines of the writers and the end line.
    ///
    /// - Throws: ``SegmentError``: `incomplete` without an end line, `rejected` when a line is none of a baseline,
    ///   `inputOutput`.
    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> BaselineOutline {
        let tail = try SegmentTail.read(source)
        let reader = SegmentLineReader(source, bounds: 0..<tail.offset)
        var lines = BaselineLines()
        while !lines.hasVector {
            guard let line = try reader.next() else {
                let reason = "the baseline breaks off before the lines of its writers"
                throw SegmentError(.rejected, file: source.file, line: reader.line, reason: reason)
            }
            do throws(JSONError) {
                _ = try lines.next(line)
            } catch {
                throw SegmentError(.rejected, file: source.file, line: reader.line, reason: error.reason)
            }
        }
        guard let header = lines.header else {
            throw SegmentError(.rejected, file: source.file, line: 1, reason: "there is no header")
        }
        return BaselineOutline(
            header: header,
            writers: lines.writers,
            sha256: tail.end.sha256,
            bytes: tail.fileSize
        )
    }
}
