import CSQLite
import GRDB
package import TributaryChanges
package import TributaryModel

package struct Row: Sendable {
    package let uniqueID: UniqueID
    private let store: String
    package let entity: Entity
    package let revision: Int64
    /// By property index; null for transient attributes, to-many relationships, and targets that are not visible.
    package var values: [PropertyValue]

    package var id: ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }

    package var byteCount: Int {
        values.reduce(0) { sum, value in
            switch value {
            case .string(let text), .decimal(let text), .uri(let text), .composite(let text): sum + text.utf8.count
            case .binary(let bytes): sum + bytes.count
            case .blob(_, let size): sum + Int(clamping: size)
            default: sum + 16
            }
        }
    }

    package init(uniqueID: UniqueID, store: String, entity: Entity, revision: Int64, values: [PropertyValue]) {
        self.uniqueID = uniqueID
        self.store = store
        self.entity = entity
        self.revision = revision
        self.values = values
    }
}

/// Determined once for each table, because rows are read by the hundred thousand.
enum ColumnReading: Sendable {
    case integer, boolean, double, date, string, uri, decimal, composite, uuid, binary, reference

    init(_ kind: ColumnLayout.Kind) {
        guard case .attribute(let type, _) = kind else {
            self = .reference
            return
        }
        self =
            switch type {
            case .integer16, .integer32, .integer64: .integer
            case .boolean: .boolean
            case .double, .float: .double
            case .date: .date
            case .string, .undefined: .string
            case .uri: .uri
            case .decimal: .decimal
            case .composite: .composite
            case .uuid: .uuid
            case .binary, .transformable: .binary
            }
    }

    /// Calls and type checks for each value would cost a fetch 1 % and 5 %, so NULL is read as zero or as no text.
    @inline(__always)
    func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        switch self {
        case .integer:
            let value = statement.integer(index)
            return value == 0 && statement.isNull(index) ? .null : .integer(value)
        case .boolean:
            let value = statement.integer(index)
            return value == 0 && statement.isNull(index) ? .null : .boolean(value != 0)
        case .double:
            let value = statement.double(index)
            return value == 0 && statement.isNull(index) ? .null : .double(value)
        case .date:
            let value = statement.double(index)
            return value == 0 && statement.isNull(index)
                ? .null : .date(DateValue(secondsSinceReferenceDate: value))
        case .string: return statement.optionalText(index).map(PropertyValue.string) ?? .null
        case .uri: return statement.optionalText(index).map(PropertyValue.uri) ?? .null
        case .decimal: return statement.optionalText(index).map(PropertyValue.decimal) ?? .null
        case .composite: return statement.optionalText(index).map(PropertyValue.composite) ?? .null
        case .uuid: return statement.id(index).map(PropertyValue.uuid) ?? .null
        case .binary: return statement.isNull(index) ? .null : binary(in: statement, at: index)
        case .reference: return statement.id(index).map(PropertyValue.reference) ?? .null
        }
    }

    private func binary(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        guard sqlite3_column_type(statement.pointer, index) == SQLITE_TEXT else {
            return .binary(statement.bytes(index))
        }
        guard let object = JSONValue(text: statement.text(index)), case .string(let sha256)? = object["blob"],
            case .integer(let size)? = object["size"]
        else { return .null }
        return .blob(sha256: sha256, size: size)
    }
}

struct RowReading {
    let layout: StoreModel
    let table: TableLayout
    let environment: StoreEnvironment
    private let onlyEntity: EntityLayout?
    static let fixedColumns: Int32 = 3

    init(table: TableLayout, context: StoreContext) {
        layout = context.layout
        environment = context.configuration.environment
        self.table = table
        onlyEntity = table.hasEntityColumn ? nil : layout.entity(code: table.code)
    }

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

    @inline(__always)
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
        try statement.all { objectID($0) }
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
