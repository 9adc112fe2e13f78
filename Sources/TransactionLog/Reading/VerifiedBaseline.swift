package import TributaryChanges

/// A baseline whose bytes have been verified as a whole.
package struct VerifiedBaseline: Hashable, Sendable {
    package let file: String
    package let header: BaselineHeader
    package let writers: [BaselineWriter]
    package let end: BaselineEnd
    /// The number of bytes before the end line.
    let offset: UInt64

    /// Verifies a baseline: framing, JSON, order, vector, counts and hash.
    ///
    /// The bytes are read once, in order, with a bounded buffer.
    ///
    /// - Throws: ``SegmentError``: `incomplete` without a valid end line, `damaged` when the hash does not match,
    ///   `rejected` when the bytes are those that were written and are no valid baseline.
    package static func verify(_ source: some SegmentBytes) throws(SegmentError) -> VerifiedBaseline {
        let tail = try SegmentTail.read(source)
        let reader = SegmentLineReader(source, bounds: 0..<tail.offset)
        var lines = BaselineLines()
        var fault: SegmentError?
        do throws(SegmentError) {
            while try lines.advance(reader, file: source.file) != nil {}
            try lines.check(tail.end, file: source.file, line: reader.line + 1)
        } catch {
            guard error.kind == .rejected else { throw error }
            fault = error
        }
        let digest = try reader.finish()
        #if MUTATIONS
            let hash = Mutation.isOn(.baselineTrustedUnverified) ? tail.end.sha256 : digest.hexadecimal
        #else
            let hash = digest.hexadecimal
        #endif
        guard hash == tail.end.sha256 else {
            let firstFault = fault.map { "; the first fault: \($0.reason)" } ?? ""
            let reason = "the hash of the bytes is not the one in the end line\(firstFault)"
            throw SegmentError(.damaged, file: source.file, line: fault?.line, reason: reason)
        }
        if let fault { throw fault }
        guard let header = lines.header else {
            throw SegmentError(.rejected, file: source.file, line: 1, reason: "there is no header")
        }
        return VerifiedBaseline(
            file: source.file,
            header: header,
            writers: lines.writers,
            end: BaselineEnd(counts: lines.counts, sha256: tail.end.sha256),
            offset: tail.offset
        )
    }
}

extension BaselineLines {
    /// Reads up to the next line that is handed over; nil at the end.
    mutating func advance(_ reader: SegmentLineReader, file: String) throws(SegmentError) -> BaselineEntry? {
        while let line = try reader.next() {
            do throws(JSONError) {
                if let entry = try next(line) { return entry }
            } catch {
                throw SegmentError(.rejected, file: file, line: reader.line, reason: error.reason)
            }
        }
        return nil
    }

    /// Checks that nothing is missing, and the counts of the end line.
    func check(_ end: SegmentEnd, file: String, line: Int) throws(SegmentError) {
        guard isComplete else {
            throw SegmentError(.rejected, file: file, line: line, reason: "the baseline breaks off before its end line")
        }
        let expected = BaselineEnd(counts: counts, sha256: end.sha256)
        guard end.line == expected.line else {
            let reason = "the end line counts something else than its lines: \(expected.line)"
            throw SegmentError(.rejected, file: file, line: line, reason: reason)
        }
    }
}
