package import TributaryModel

/// The table of a root entity, with the columns of the entity and all its sub-entities.
///
/// It has its own columns, then one for each stored attribute and to-one relationship.
package struct TableLayout: Sendable {
    package let index: Int
    package let root: Entity
    /// The root entity's code, which names the table in `tributary_object` and the store's other own tables.
    package let code: Int64
    package let name: String
    package let columns: [ColumnLayout]
    /// Whether there are sub-entities, and so a column `_entity` with the code of the concrete entity.
    package let hasEntityColumn: Bool
    /// The names of the root entity and all its sub-entities.
    package let entities: [String]
    let readings: [ColumnReading]
    /// The SQL that selects the row of an ID in the form that ``RowReading`` reads: faults read rows one by one.
    let rowByID: String

    init(
        index: Int,
        root: Entity,
        code: Int64,
        name: String,
        columns: [ColumnLayout],
        hasEntityColumn: Bool,
        entities: [String]
    ) {
        self.index = index
        self.root = root
        self.code = code
        self.name = name
        self.columns = columns
        self.hasEntityColumn = hasEntityColumn
        self.entities = entities
        readings = columns.map { ColumnReading($0.kind) }
        let selected = RowReading.columns(columns, hasEntityColumn: hasEntityColumn, alias: "o")
        rowByID = "SELECT \(selected) FROM \(quoted(name)) o WHERE o._id = ?"
    }

    package var quotedName: String { quoted(name) }
}
