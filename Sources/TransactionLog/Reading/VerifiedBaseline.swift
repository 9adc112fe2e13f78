package import TributaryChanges

package struct VerifiedBaseline: Hashable, Sendable {
    package let file: String
    package let header: BaselineHeader
    package let writers: [BaselineWriter]
    package let end: BaselineEnd
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
            while try lines.advance(reader) != nil {}
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
        try tail.check(hash, fault: fault, file: source.file)
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
    mutating func advance(_ reader: SegmentLineReader) throws(SegmentError) -> BaselineEntry? {
        while let line = try reader.next() {
            if let entry = try reader.parse({ () throws(JSONError) in try next(line) }) { return entry }
        }
        return nil
    }

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

/// A baseline as its first lines and its end line tell it; the lines between them are not read.
package struct BaselineSummary: Hashable, Sendable {
    package let header: BaselineHeader
    package let writers: [BaselineWriter]
    /// The hash in the end line, which only ``VerifiedBaseline`` compares with the bytes.
    package let sha256: String
    package let bytes: UInt64

    /// Reads the header, the lines of the writers and the end line.
    ///
    /// - Throws: ``SegmentError``: `incomplete` without an end line, `rejected` when a line is none of a baseline,
    ///   `inputOutput`.
    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> BaselineSummary {
        let tail = try SegmentTail.read(source)
        let reader = SegmentLineReader(source, bounds: 0..<tail.offset)
        var lines = BaselineLines()
        while !lines.hasVector {
            guard let line = try reader.next() else {
                let reason = "the baseline breaks off before the lines of its writers"
                throw SegmentError(.rejected, file: source.file, line: reader.line, reason: reason)
            }
            _ = try reader.parse { () throws(JSONError) in try lines.next(line) }
        }
        guard let header = lines.header else {
            throw SegmentError(.rejected, file: source.file, line: 1, reason: "there is no header")
        }
        return BaselineSummary(
            header: header,
            writers: lines.writers,
            sha256: tail.end.sha256,
            bytes: tail.fileSize
        )
    }
}

/// Reads the lines of a verified baseline one by one, in bounded memory.
///
/// The reader hashes the bytes again. It reports the end only when they are the verified ones; what was read before must
/// not be committed before that.
package final class BaselineReader {
    private let baseline: VerifiedBaseline
    private let lines: SegmentLineReader
    private var content = BaselineLines()

    package init(_ source: some SegmentBytes, _ baseline: VerifiedBaseline) {
        self.baseline = baseline
        lines = SegmentLineReader(source, bounds: 0..<baseline.offset)
    }

    /// Returns the next line after those of the writers; nil at the end.
    ///
    /// - Throws: ``SegmentError`` `changed` when the bytes are not the verified ones.
    package func next() throws(SegmentError) -> BaselineEntry? {
        let entry: BaselineEntry?
        do throws(SegmentError) {
            entry = try content.advance(lines)
        } catch {
            guard error.kind == .rejected else { throw error }
            throw changed(error.reason)
        }
        if let entry { return entry }
        #if MUTATIONS
            if Mutation.isOn(.baselineTrustedUnverified) { return nil }
        #endif
        guard lines.hashSoFar.finalize().hexadecimal == baseline.end.sha256 else { throw changed("its bytes") }
        return nil
    }

    private func changed(_ what: String) -> SegmentError {
        let reason = "the file was changed after it was verified (\(what))"
        return SegmentError(.changed, file: baseline.file, line: lines.line, reason: reason)
    }
}

/// The end line of a baseline, in the form of the end line of a segment.
package struct BaselineEnd: Hashable, Sendable {
    package var counts: BaselineCounts
    package var sha256: String

    package var line: String {
        SegmentEnd(
            last: UInt64(counts.writers),
            transactions: UInt64(counts.transactions),
            changes: UInt64(counts.changes),
            sha256: sha256
        ).line
    }
}
