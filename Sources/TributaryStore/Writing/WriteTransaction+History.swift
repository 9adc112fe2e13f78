import GRDB
import TributaryChanges

extension WriteTransaction {
    /// Registers a consumer, or records its position and the time of its last sign of life.
    package func setHistoryConsumer(_ name: String, number: Int64) throws {
        let now = reader.context.configuration.environment.wallTime().unixSeconds
        try setSetting(HistoryReader.consumerPrefix + name, to: "\(number) \(now)")
    }

    package func removeHistoryConsumer(_ name: String) throws {
        try setSetting(HistoryReader.consumerPrefix + name, to: nil)
    }

    /// Removes history before the given transaction, except history that a consumer has still to read.
    package func deleteHistory(before number: Int64) throws {
        let waiting = try reader.history.consumers().map(\.number).min()
        let last = max(number, 1) - 1
        try purgeHistory(through: min(last, waiting ?? last))
    }

    /// Removes history up to and including the transaction.
    func purgeHistory(through last: Int64) throws {
        let newest = try reader.history.newestTransaction()
        let last = min(last, newest)
        guard last > (try reader.history.oldestNumber()) else { return }
        for table in ["tributary_history", "tributary_tombstone"] {
            let delete = try BoundStatement(db, "DELETE FROM \(table) WHERE transaction_number <= ?1")
            delete.bind(1, last)
            try delete.run()
        }
        try removeUnusedShapes()
        try setSetting(HistoryReader.purgedHistoryKey, to: String(last))
    }
}
