import TransactionLog
import TributaryChanges
import TributaryStore

/// Compares files at or below the position with what was applied, by their end lines: another hash under the same name,
/// or other bounds, prove a fork.
struct AppliedAudit {
    struct Finding: Sendable {
        var name: SegmentName
        var reason: String
    }

    let path: String
    let store: Store
    let own: UniqueID
    let control: ImportControl

    /// What contradicts the store, and hints about files that the system refused to open for the moment.
    @concurrent
    func compare(_ names: [SegmentName]) async -> (findings: [Finding], refused: FolderHints) {
        var refused = FolderHints()
        var findings: [Finding] = []
        guard let logs = try? LogFolder(path: path) else {
            for name in names { refused.note(file: name) }
            return ([], refused)
        }
        for name in names {
            do {
                let reason = try store.read { try contradiction(name, logs: logs, reader: $0) }
                if let reason { findings.append(Finding(name: name, reason: reason)) }
            } catch {
                if (error as? SegmentError)?.isPassing ?? true { refused.note(file: name) }
            }
        }
        return (findings, refused)
    }

    /// Why the file cannot be what was applied; nil when it can.
    ///
    /// A file that is damaged since is no contradiction: its transactions are in the store.
    private func contradiction(_ name: SegmentName, logs: LogFolder, reader: Reader) throws -> String? {
        let file = MeteredBytes(try logs.open(name), control)
        guard let tail = try? SegmentTail.read(file) else { return nil }
        if let record = try reader.segment(writer: name.writer, first: name.first), record.last == name.last {
            guard record.sha256 != tail.end.sha256, isValid(file, name) else { return nil }
            return "Its hash is \(tail.end.sha256), that of the segment that was applied is \(record.sha256)."
        }
        if name.writer == own {
            let isUnderWay = try reader.unfinishedExports().contains { $0.first == name.first && $0.last == name.last }
            guard !isUnderWay, isValid(file, name) else { return nil }
            return "This store has not written it."
        }
        guard let rival = try reader.segment(writer: name.writer, beginningBy: name.last), rival.last >= name.first,
            isValid(file, name)
        else { return nil }
        let applied = SegmentName(writer: name.writer, first: rival.first, last: rival.last)
        return "It overlaps \(applied.fileName), which was applied, with other bounds."
    }

    private func isValid(_ file: some SegmentBytes, _ name: SegmentName) -> Bool {
        (try? SegmentVerifier().verify(file, name: name)) != nil
    }
}
