import TributaryChanges

/// Checks a whole segment before anything of it is applied: framing, JSON, header against name, sequences, clocks,
/// counts and hash.
///
/// The bytes are read once, in order, in a bounded buffer. Whether the content is at fault or the copy is told apart by
/// the hash: it is compared even when a line could not be read.
package struct SegmentVerifier: Sendable {
    /// 65,536 transactions with `seen` are kept for planning.
    package static let dependencyLimit = 65_536
    /// So many entries of `seen` altogether, 40 bytes each.
    static let dependencyEntryLimit = 262_144

    /// A slice ends with the first transaction that brings it to so many changes.
    package var sliceChanges: Int

    package init(sliceChanges: Int = 20_000) {
        self.sliceChanges = max(1, sliceChanges)
    }

    /// Checks the segment and tells what is needed to import it; dependencies are collected after `sequence`.
    ///
    /// - Throws: ``SegmentError``: `incomplete` without a valid end line, `damaged` when the hash does not fit,
    ///   `rejected` when the bytes are as they were written and are no valid segment.
    package func verify(
        _ source: some SegmentBytes,
        name: SegmentName,
        dependenciesAfter sequence: UInt64 = 0
    ) throws(SegmentError) -> VerifiedSegment {
        let tail: SegmentTail
        do throws(SegmentError) {
            tail = try SegmentTail.read(source)
        } catch {
            throw error.with(writer: name.writer)
        }
        let reader = SegmentLineReader(source, bounds: 0..<tail.offset)
        var content = SegmentContent(name: name, sliceLines: sliceChanges, dependenciesAfter: sequence)
        var fault: SegmentError?
        do throws(SegmentError) {
            try content.read(reader, file: source.file)
            try content.check(tail.end, line: reader.line + 1, file: source.file)
        } catch {
            guard error.kind == .rejected else { throw error.with(writer: name.writer) }
            fault = error
        }
        let digest = try reader.finish()
        guard digest.hexadecimal == tail.end.sha256 else {
            let place = fault.map { "; the first fault: \($0.reason)" } ?? ""
            throw SegmentError(
                .damaged,
                file: source.file,
                line: fault?.line,
                writer: name.writer,
                sequence: fault?.sequence,
                reason: "the hash of the bytes is not the one in the end line\(place)"
            )
        }
        if let fault { throw fault.with(writer: name.writer) }
        return try content.verified(tail: tail, file: source.file)
    }
}

extension SegmentError {
    func with(writer: UniqueID) -> SegmentError {
        var error = self
        error.writer = error.writer ?? writer
        return error
    }
}
