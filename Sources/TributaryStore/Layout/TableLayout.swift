import TributaryModel

/// The table of a root entity: its own columns, then one for each stored attribute and to-one relationship of the
/// entity and all its sub-entities.
struct TableLayout: Sendable {
    /// The place in the model's list of tables.
    let index: Int
    let root: Entity
    /// The root entity's code, which names the table in `tributary_object` and its like.
    let code: Int64
    let name: String
    let columns: [ColumnLayout]
    /// Whether there are sub-entities, and so a column `_entity` with the code of the concrete one.
    let hasEntityColumn: Bool
    /// Names of the root and all its sub-entities.
    let entities: [String]
    /// How each column is read.
    let readings: [ColumnReading]
    /// Selects the row of an ID as ``RowReading`` reads it: faults ask for it one by one.
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

    var quotedName: String { quoted(name) }
}
