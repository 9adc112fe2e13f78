import TransactionLog
import TributaryChanges
import TributaryStore

/// Compares files at or below the position, and replicators' copies of such files, with what was applied.
///
/// A file whose end line has the hash of the applied segment of its name is that; of others the transactions are
/// compared.
struct AppliedAudit {
    struct Finding: Sendable {
        var file: SegmentFile
        /// Why the file contradicts what was applied; nil when it does not.
        var reason: String?
    }

    let path: String
    let store: Store
    let control: ImportControl

    /// Compares the files.
    ///
    /// - Returns: The results, and hints of files that the system refused to open for the moment.
    @concurrent
    func compare(_ files: [SegmentFile]) async -> (findings: [Finding], refused: FolderHints) {
        var refused = FolderHints()
        var findings: [Finding] = []
        guard let logs = try? LogFolder(path: path) else {
            for file in files { refused.insert(file: file.id) }
            return ([], refused)
        }
        for file in files {
            do {
                findings.append(Finding(file: file, reason: try contradiction(file, logs: logs)))
            } catch {
                if (error as? SegmentError)?.isPassing ?? true { refused.insert(file: file.id) }
                findings.append(Finding(file: file))
            }
        }
        return (findings, refused)
    }

    /// The reason why the file cannot be what was applied; nil when it can be.
    ///
    /// A file that was damaged after it was applied is no contradiction: its transactions are in the store.
    private func contradiction(_ file: SegmentFile, logs: LogFolder) throws -> String? {
        let name = file.id
        // The log folder may hang, so a read of the store never reads from it.
        let bytes = MeteredBytes(try logs.open(fileName: file.fileName, writer: name.writer), control)
        guard let tail = try readable({ () throws(SegmentError) in try SegmentTail.read(bytes) }) else { return nil }
        let record = try store.read { try $0.writers.segment(writer: name.writer, name.first, name.last) }
        guard record?.sha256 != tail.end.sha256,
            try readable({ () throws(SegmentError) in try SegmentVerifier().verify(bytes, name: name) }) != nil
        else { return nil }
        return try ContentComparison(store: store, logs: logs)
            .contradiction(in: bytes, tail, of: name, through: name.last)
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
