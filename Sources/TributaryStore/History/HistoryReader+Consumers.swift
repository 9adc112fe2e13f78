package import TributaryChanges
import TributaryModel

extension HistoryReader {
    static let consumerPrefix = "history.consumer."

    /// The registered consumers, ordered by name.
    package func consumers() throws -> [HistoryConsumer] {
        let statement = try BoundStatement(
            database,
            "SELECT key, value FROM tributary_setting WHERE key >= ?1 AND key < ?2 ORDER BY key"
        )
        statement.bind(1, HistoryReader.consumerPrefix)
        // `/` is the character after the full stop.
        statement.bind(2, "history.consumer/")
        var found: [HistoryConsumer] = []
        try statement.forEach { row in
            let parts = row.text(1).split(separator: " ")
            guard parts.count == 2, let number = Int64(parts[0]), let heardAt = Double(parts[1]) else { return }
            let name = String(row.text(0).dropFirst(HistoryReader.consumerPrefix.count))
            found.append(HistoryConsumer(name: name, number: number, heardAt: WallTime(unixSeconds: heardAt)))
        }
        return found
    }

    /// The preserved values of deleted objects, by transaction and object.
    package func tombstones(after number: Int64, through: Int64) throws -> [Int64: [Tombstone: [String: JSONValue]]] {
        let statement = try BoundStatement(
            database,
            """
            SELECT transaction_number, id, preserved, root FROM tributary_tombstone
            WHERE transaction_number > ?1 AND transaction_number <= ?2
            """
        )
        statement.bind(1, number)
        statement.bind(2, through)
        var found: [Int64: [Tombstone: [String: JSONValue]]] = [:]
        try statement.forEach { row in
            guard let id = row.id(1), case .object(let members)? = JSONValue(text: row.text(2)),
                let table = context.layout.tables.first(where: { $0.code == row.integer(3) })
            else { return }
            found[row.integer(0), default: [:]][Tombstone(root: table.name, id: id)] = Dictionary(
                members.map { ($0.key, $0.value) },
                uniquingKeysWith: { $1 }
            )
        }
        return found
    }
}
