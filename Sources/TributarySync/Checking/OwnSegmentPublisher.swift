import TransactionLog
import TributaryStore

/// Publishes segments of the store's own again that have vanished from the log folder, with the same bytes.
struct OwnSegmentPublisher {
    let store: Store
    let logs: LogFolder
    /// A log folder of the check's own, in which the bytes are compared first.
    let scratch: LogFolder

    /// Publishes a segment again.
    ///
    /// - Returns: false when the outbox has its lines no more, or when they would give other bytes.
    /// - Throws: ``SegmentError`` when a folder cannot be written, and ``StoreError``.
    func publish(_ record: SegmentRecord) throws -> Bool {
        guard let range = try store.read({ try $0.outbox.export(of: record.writer, beginningAt: record.first) }),
            range.last == record.last,
            try write(range, into: scratch) == record.sha256
        else { return false }
        return try write(range, into: logs) == record.sha256
    }

    private func write(_ range: ExportRange, into logs: LogFolder) throws -> String? {
        let name = SegmentName(writer: range.writer, first: range.first, last: range.last)
        return try SegmentPublisher(logs).publish(name, header: range.header) { file in
            try store.read { try $0.outbox.forEachPiece(of: range, file.append) }
        }.sha256
    }
}
