import TransactionLog
import TributaryChanges
import TributaryStore

/// Compares files at or below the position with the store's records, by their end lines.
///
/// A different hash under an applied name, or different bounds, prove a fork.
struct AppliedAudit {
    struct Finding: Sendable {
        var name: SegmentName
        var reason: String
    }

    let path: String
    let store: Store
    let own: UniqueID
    let control: ImportControl

    /// Compares the files.
    ///
    /// - Returns: The contradictions, and hints of files that the system refused to open for the moment.
    @concurrent
    func compare(_ names: [SegmentName]) async -> (findings: [Finding], refused: FolderHints) {
        var refused = FolderHints()
        var findings: [Finding] = []
        guard let logs = try? LogFolder(path: path) else {
            for name in names { refused.insert(file: name) }
            return ([], refused)
        }
        for name in names {
            do {
                if let reason = try contradiction(name, logs: logs) {
                    findings.append(Finding(name: name, reason: reason))
                }
            } catch {
                if (error as? SegmentError)?.isPassing ?? true { refused.insert(file: name) }
            }
        }
        return (findings, refused)
    }

    /// The reason why the file cannot be the applied segment; nil when it can be.
    ///
    /// A file that was damaged after it was applied is no contradiction: its transactions are in the store.
    private func contradiction(_ name: SegmentName, logs: LogFolder) throws -> String? {
        // The log folder may hang, so a read of the store never reads from it.
        let file = MeteredBytes(try logs.open(name), control)
        guard let tail = try readable({ () throws(SegmentError) in try SegmentTail.read(file) }),
            let reason = try store.read({ try self.reason(against: name, sha256: tail.end.sha256, $0) }),
            try readable({ () throws(SegmentError) in try SegmentVerifier().verify(file, name: name) }) != nil
        else { return nil }
        return reason
    }

    /// The reason why a segment with the given hash contradicts the store; nil when it does not.
    private func reason(against name: SegmentName, sha256: String, _ reader: Reader) throws -> String? {
        let records = try reader.writers.segments(writer: name.writer, beginningWith: name.first)
            .filter { $0.last == name.last }
        if let record = records.first {
            guard !records.contains(where: { $0.sha256 == sha256 }) else { return nil }
            return "Its hash is \(sha256), that of the segment that was applied is \(record.sha256)."
        }
        if name.writer == own {
            let unfinished = try reader.outbox.unfinishedExports()
            let isUnderWay = unfinished.contains { $0.first == name.first && $0.last == name.last }
            return isUnderWay ? nil : "This store has not written it."
        }
        if try JoinedPosition(of: name.writer, reader).contradicts(name.last, sha256) {
            return
                "Its hash is \(sha256), and the baseline that was joined has other content up to its last transaction."
        }
        guard let rival = try reader.writers.segment(writer: name.writer, beginningBy: name.last),
            rival.last >= name.first
        else { return nil }
        let applied = SegmentName(writer: name.writer, first: rival.first, last: rival.last)
        return "It overlaps \(applied.fileName), which was applied, with other bounds."
    }

    /// Returns the result of `read`; nil when the bytes are not a segment.
    ///
    /// - Throws: ``SegmentError`` when the system refuses to read them for the moment.
    private func readable<T>(_ read: () throws(SegmentError) -> T) throws(SegmentError) -> T? {
        do {
            return try read()
        } catch {
            guard error.isPassing else { return nil }
            throw error
        }
    }
}
