import TributaryChanges
import TributaryModel

extension Applier {
    /// Keeps the values of properties that are preserved after deletion, for as long as history is.
    func keepTombstone(of row: VisibleRow, table: Int) throws {
        let entity = layout.entities[row.entity]
        var members: [JSONMember] = []
        for (slot, property) in entity.entity.properties.enumerated() {
            guard let attribute = property.attribute, attribute.preservesValueAfterDeletion,
                case .column(let place) = entity.places[slot]
            else { continue }
            let value = try self.table(table).value(place, rowid: row.rowid)
            members.append(JSONMember(key: attribute.name, value: value.json))
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
