import GRDB
import TributaryChanges
import TributaryInference
import TributaryModel
import TributaryStore

/// Writes the default of a counter to the objects to which nobody has added anything yet.
struct CounterDefaults {
    let db: Database

    func fill(_ columnIndex: Int, of table: TableLayout, _ entity: EntityLayout) throws {
        let update = try BoundStatement(
            db,
            """
            UPDATE \(table.quotedName) SET \(table.columns[columnIndex].quotedName) = ?1
            WHERE _id NOT IN (SELECT id FROM tributary_counter WHERE root = ?2 AND place = ?3)
            \(table.condition(entity))
            """
        )
        update.bind(1, entity.defaults[columnIndex])
        update.bind(2, table.code)
        update.bind(3, Int64(columnIndex))
        try update.run()
    }
}

extension TableLayout {
    /// The SQL that continues a condition with the concrete entity of the objects.
    func condition(_ entity: EntityLayout) -> String { hasEntityColumn ? "AND _entity = \(entity.code)" : "" }
}

extension ColumnLayout {
    var isCounter: Bool { isRegister && mergeRule == .counter }

    func converted(_ value: PropertyValue) -> PropertyValue {
        if case .attribute(let type, _) = kind { type.converted(value) } else { value }
    }
}
