import StoreTestSupport
import TestSupport
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The transactions that a replica has published, and those in its outbox, as another replica gets them.
struct ExportedWriter {
    private(set) var transactions: [ForeignTransaction] = []

    /// Publishes the next transactions of the outbox, at most `limit`.
    mutating func publish(_ replica: Replica, limit: Int = .max) throws {
        let found = try ExportedWriter.outbox(of: replica, limit: limit)
        guard let first = found.first, let last = found.last?.header.sequence else { return }
        let range = ExportRange(writer: first.writer, first: first.header.sequence, last: last, header: "{}")
        try replica.store.write { write in
            try write.beginExport(range)
            try write.finishExport(range, sha256: "\(first.writer)-\(last)")
        }
        transactions += found
        // The store may have several writers with something to publish.
        if limit == .max { try publish(replica) }
    }

    /// The transactions of the outbox that are not published, oldest first.
    static func outbox(of replica: Replica, limit: Int = .max) throws -> [ForeignTransaction] {
        try replica.store.read { reader in
            guard let (writer, first) = try reader.outbox.unexported().first else { return [] }
            var (lines, last): ([String], UInt64) = ([], first - 1)
            try reader.outbox.localTransactions(of: writer, from: first) { transaction in
                guard transaction.sequence - first < limit else { return false }
                lines += String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").map(String.init)
                last = transaction.sequence
                return true
            }
            return try SegmentText(writer: writer, first: first, last: last, lines).transactions().map {
                var transaction = ForeignTransaction(0, 1, clock: 0)
                (transaction.writer, transaction.header, transaction.changes) = (writer, $0.header, $0.changes)
                return transaction
            }
        }
    }
}
