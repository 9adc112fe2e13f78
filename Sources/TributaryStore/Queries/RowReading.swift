import GRDB
import TributaryChanges
import TributaryModel

/// The reading of one table's rows: the columns in their order, and the conversion to objects.
struct RowReading {
    let layout: StoreModel
    let table: TableLayout
    let environment: StoreEnvironment
    /// The entity of all rows, when the table has no other entity.
    private let onlyEntity: EntityLayout?
    static let fixedColumns: Int32 = 3

    init(table: TableLayout, context: StoreContext) {
        layout = context.layout
        environment = context.configuration.environment
        self.table = table
        onlyEntity = table.hasEntityColumn ? nil : layout.entity(code: table.code)
    }

    /// The columns, each qualified by the alias of the table.
    func columns(alias: String) -> String {
        RowReading.columns(table.columns, hasEntityColumn: table.hasEntityColumn, alias: alias)
    }

    static func columns(_ columns: [ColumnLayout], hasEntityColumn: Bool, alias: String) -> String {
        let entity = hasEntityColumn ? "\(alias)._entity" : "0"
        let fixed = ["\(alias)._id", entity, "\(alias)._revision"]
        return (fixed + columns.map { "\(alias).\($0.quotedName)" }).joined(separator: ", ")
    }

    func idColumns(alias: String) -> String {
        "\(alias)._id, \(table.hasEntityColumn ? "\(alias)._entity" : "0")"
    }

    /// The statement's current row; nil when the model does not have its entity.
    func row(_ statement: BoundStatement) -> Row? {
        guard let entity = entity(statement), let id = statement.id(0) else { return nil }
        let places = entity.places
        // This loop takes fewer instructions than the other ways to build an array.
        var values: [PropertyValue] = []
        values.reserveCapacity(places.count)
        for place in places { values.append(value(at: place, statement)) }
        return Row(
            uniqueID: id,
            store: layout.storeName,
            entity: entity.entity,
            revision: statement.integer(2),
            values: values
        )
    }

    func objectID(_ statement: BoundStatement) -> ManagedObjectID? {
        guard let entity = entity(statement), let id = statement.id(0) else { return nil }
        return layout.objectID(id, of: entity)
    }

    func ids(_ statement: BoundStatement) throws -> [ManagedObjectID] {
        var result: [ManagedObjectID] = []
        try statement.forEach { row in
            if let id = objectID(row) { result.append(id) }
        }
        return result
    }

    private func entity(_ statement: BoundStatement) -> EntityLayout? {
        table.hasEntityColumn ? layout.entity(code: statement.integer(1)) : onlyEntity
    }

    private func value(at place: EntityLayout.Place, _ statement: BoundStatement) -> PropertyValue {
        switch place {
        case .column(let column), .inverseColumn(let column, _, _):
            table.readings[column].value(in: statement, at: RowReading.fixedColumns + Int32(column))
        case .inverse, .links, .none: .null
        }
    }
}
