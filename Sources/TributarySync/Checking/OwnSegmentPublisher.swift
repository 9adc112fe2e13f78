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
        let name = SegmentName(writer: record.writer, first: record.first, last: record.last)
        guard let range = try store.read({ try $0.outbox.export(beginningAt: record.first) }),
            range.last == record.last,
            try write(name, header: range.header, into: scratch) == record.sha256
        else { return false }
        return try write(name, header: range.header, into: logs) == record.sha256
    }

    private func write(_ name: SegmentName, header: String, into logs: LogFolder) throws -> String? {
        try SegmentPublisher(logs).publish(name, header: header) { file in
            try store.read { reader in
                try reader.outbox.forEachPiece(from: name.first, through: name.last, file.append)
            }
        }.sha256
    }
}
