import GRDB
import TributaryChanges
import TributaryModel

/// Writes `tributary_tombstone`: the values of deleted objects whose attributes are preserved after deletion.
struct PreservedValueTable {
    let db: Database
    let layout: StoreModel

    /// Keeps the preserved values of a row that the transaction with the number `revision` is about to delete.
    ///
    /// - Parameters:
    ///   - row: The head of the row.
    ///   - table: The index of its table.
    ///   - revision: The number of the transaction.
    ///   - value: The value that the row shows in a column.
    /// - Throws: what `value` throws, and ``StoreError`` when the store cannot be written.
    func insert(_ row: VisibleRow, table: Int, revision: Int64, value: (_ column: Int) throws -> PropertyValue) throws {
        let entity = layout.entities[row.entity]
        var members: [JSONMember] = []
        for (index, property) in entity.entity.properties.enumerated() {
            guard let attribute = property.attribute, attribute.preservesValueAfterDeletion,
                case .column(let column) = entity.places[index]
            else { continue }
            members.append(JSONMember(key: attribute.name, value: try value(column).json))
        }
        guard !members.isEmpty else { return }
        let statement = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO tributary_tombstone(transaction_number, root, id, preserved) VALUES (?1, ?2, ?3, ?4)"
        )
        statement.bind(1, revision)
        statement.bind(2, layout.tables[table].code)
        statement.bind(3, row.id)
        statement.bind(4, JSONValue.object(members).text)
        try statement.run()
    }
}
