import GRDB
import TributaryChanges
import TributaryModel

/// How the rows of one table are read: which columns, in which order, and what makes an object of them.
struct RowReading {
    let layout: StoreModel
    let table: TableLayout
    let environment: StoreEnvironment
    private let storeName: String
    static let fixedColumns: Int32 = 3

    init(table: TableLayout, context: StoreContext) {
        layout = context.layout
        environment = context.configuration.environment
        storeName = context.name
        self.table = table
    }

    /// The columns, each with the alias of the table before it.
    func columns(alias: String) -> String {
        let entity = table.hasEntityColumn ? "\(alias)._entity" : "0"
        let fixed = ["\(alias)._id", entity, "\(alias)._revision"]
        return (fixed + table.columns.map { "\(alias).\($0.quotedName)" }).joined(separator: ", ")
    }

    /// The columns of an ID alone.
    func idColumns(alias: String) -> String {
        "\(alias)._id, \(table.hasEntityColumn ? "\(alias)._entity" : "0")"
    }

    /// The row that the statement stands on; nil when its entity is not in the model.
    func row(_ statement: BoundStatement) -> Row? {
        guard let entity = entity(statement), let id = statement.id(0) else { return nil }
        let places = entity.places
        let values = [PropertyValue](unsafeUninitializedCapacity: places.count) { buffer, count in
            for place in places {
                (buffer.baseAddress.unsafelyUnwrapped + count).initialize(to: value(at: place, statement))
                count += 1
            }
        }
        return Row(
            id: objectID(id, entity),
            entity: entity.entity,
            revision: statement.integer(2),
            values: values
        )
    }

    func objectID(_ statement: BoundStatement) -> ManagedObjectID? {
        guard let entity = entity(statement), let id = statement.id(0) else { return nil }
        return objectID(id, entity)
    }

    private func entity(_ statement: BoundStatement) -> EntityLayout? {
        layout.entity(code: table.hasEntityColumn ? statement.integer(1) : table.code)
    }

    private func objectID(_ id: UniqueID, _ entity: EntityLayout) -> ManagedObjectID {
        ManagedObjectID(
            store: storeName,
            entity: entity.entity.name,
            rootEntity: table.root.name,
            uniqueID: id
        )
    }

    private func value(at place: EntityLayout.Place, _ statement: BoundStatement) -> PropertyValue {
        switch place {
        case .column(let column), .mirror(let column, _, _):
            table.columns[column].value(in: statement, at: RowReading.fixedColumns + Int32(column))
        case .inverse, .links, .none: .null
        }
    }
}
