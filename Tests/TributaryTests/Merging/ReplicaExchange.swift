import TestSupport
import TributaryChanges
import TributaryStore

/// Carries what one store has saved itself to another, as segments would.
enum ReplicaExchange {
    /// Sends everything that the other store does not have yet.
    static func send(from source: Store, to target: Store) throws {
        let writer = try source.read { try $0.writers.own().id }
        let known = try target.read { try $0.writers.all().first { $0.id == writer }?.sequence ?? 0 }
        var lines: [String] = []
        var last = known
        try source.read { reader in
            try reader.outbox.localTransactions(of: writer, from: known + 1) { transaction in
                lines += String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").map(String.init)
                last = transaction.sequence
                return true
            }
        }
        guard last > known else { return }
        let transactions = try SegmentText(writer: writer, first: known + 1, last: last, lines).transactions()
        for transaction in transactions {
            try target.write { write in
                try write.beginImport(writer: writer, header: transaction.header)
                try write.apply(transaction.changes)
                _ = try write.endImport()
            }
        }
    }
}
