import TributaryChanges

/// Verifies a whole segment before any of it is applied: framing, JSON, header against name, sequences, clocks, counts
/// and hash.
///
/// The verifier reads the bytes once, in order, with a bounded buffer. The hash distinguishes invalid content from a
/// damaged copy, so it is compared even after an invalid line.
package struct SegmentVerifier: Sendable {
    /// The greatest number of transactions with `seen` that are kept for planning.
    package static let dependencyLimit = 65_536
    /// The greatest number of entries of `seen` altogether, 40 bytes each.
    static let dependencyEntryLimit = 262_144

    /// The number of changes and transactions after which a slice ends with its transaction.
    package var sliceChanges: Int
    /// The length of the longest file whose content the verified segment has, if it has only rows.
    package var keptBytes: UInt64

    package init(sliceChanges: Int = 20_000, keptBytes: UInt64 = 0) {
        self.sliceChanges = max(1, sliceChanges)
        self.keptBytes = keptBytes
    }

    /// Verifies the segment and returns the information that its import needs.
    ///
    /// - Throws: ``SegmentError``: `incomplete` without a valid end line, `damaged` when the hash does not match,
    ///   `rejected` when the bytes are those that were written and are no valid segment.
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
        var content = SegmentContent(
            name: name,
            sliceLines: sliceChanges,
            dependenciesAfter: sequence,
            keepsContent: tail.fileSize <= keptBytes
        )
        var fault: SegmentError?
        do throws(SegmentError) {
            try content.read(reader, file: source.file)
            try content.check(tail.end, line: reader.line + 1, file: source.file)
        } catch {
            guard error.kind == .rejected else { throw error.with(writer: name.writer) }
            fault = error
        }
        let digest = try reader.finish()
        #if MUTATIONS
            if Mutation.isOn(.hashIgnored), fault == nil { return try content.verified(tail: tail, file: source.file) }
        #endif
        guard digest.hexadecimal == tail.end.sha256 else {
            let firstFault = fault.map { "; the first fault: \($0.reason)" } ?? ""
            throw SegmentError(
                .damaged,
                file: source.file,
                line: fault?.line,
                writer: name.writer,
                sequence: fault?.sequence,
                reason: "the hash of the bytes is not the one in the end line\(firstFault)"
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
