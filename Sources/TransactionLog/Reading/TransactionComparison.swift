/// Compares the transactions of a verified segment with lines, one after the other and byte by byte.
package struct TransactionComparison {
    private let source: any SegmentBytes
    private var offset: UInt64
    private let end: UInt64

    package init(_ source: some SegmentBytes, _ segment: VerifiedSegment) {
        self.source = source
        offset = segment.slices.first?.bounds.lowerBound ?? 0
        end = segment.slices.last?.bounds.upperBound ?? 0
    }

    /// Compares the next bytes of the segment with the lines of a transaction, and passes them when they are equal.
    ///
    /// A transaction of the segment that begins with these lines and goes on is another one.
    ///
    /// - Throws: ``SegmentError`` when the system cannot read them, or the file has become shorter.
    package mutating func passes(_ lines: [UInt8]) throws(SegmentError) -> Bool {
        guard UInt64(lines.count) <= end - offset else { return false }
        let next = offset + UInt64(lines.count)
        guard try source.bytes(in: offset..<next) == lines, try isBeginning(next) else { return false }
        offset = next
        return true
    }

    /// Whether a transaction begins at an offset, or the transactions end there.
    private func isBeginning(_ next: UInt64) throws(SegmentError) -> Bool {
        guard next < end else { return true }
        let word = Array("{\"transaction\"".utf8)
        let upper = next + UInt64(word.count)
        guard upper <= end else { return false }
        return try source.bytes(in: next..<upper) == word
    }
}
