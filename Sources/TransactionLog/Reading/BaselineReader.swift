package import TributaryChanges

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
            entry = try content.advance(lines, file: baseline.file)
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
