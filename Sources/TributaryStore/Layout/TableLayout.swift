package import TributaryChanges
package import TributaryModel

/// The table of a root entity, with the stored attributes and to-one relationships of all its sub-entities.
package struct TableLayout: Sendable {
    package let index: Int
    package let root: Entity
    package let code: Int64
    package let name: String
    package let columns: [ColumnLayout]
    let registers: [Int]
    package let hasEntityColumn: Bool
    package let entities: [String]
    let readings: [ColumnReading]
    /// Built once for each table, because faults read single rows.
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
        registers = columns.indices.filter { columns[$0].isRegister && columns[$0].mergeRule != .counter }
        self.hasEntityColumn = hasEntityColumn
        self.entities = entities
        readings = columns.map { ColumnReading($0.kind) }
        let selected = RowReading.columns(columns, hasEntityColumn: hasEntityColumn, alias: "o")
        rowByID = "SELECT \(selected) FROM \(quoted(name)) o WHERE o._id = ?"
    }

    package var quotedName: String { quoted(name) }
}

/// The index of a column never changes, because `_exceptions` refers to columns by index.
package struct ColumnLayout: Sendable {
    package enum Kind: Sendable, Hashable {
        case attribute(AttributeType, MergeRule)
        /// Of several visible owners of the same one-to-one target, the owner with the greatest version wins.
        case reference(target: Int, isOneToOne: Bool, inverse: Int?)
        /// The other side of a one-to-one relationship, which shows the owner from `column` of the table `source`.
        case inverseColumn(source: Int, column: Int)
    }

    package let property: String
    /// The property's name, unless an incompatible property of another sub-entity has that name.
    package let name: String
    package let kind: Kind
    package let definition: String

    /// Whether large values are stored beside the store; the column then has `{"blob":"<SHA-256>","size":N}`.
    var isExternal = false

    /// For a date, the column with seconds since 2001; SQLite computes the visible column.
    package var quotedName: String { quoted(isDate ? "_date_\(name)" : name) }

    var visibleName: String { quoted(name) }

    private var isDate: Bool {
        if case .attribute(.date, _) = kind { true } else { false }
    }

    package var columnDefinitions: [String] {
        let stored = "\(quotedName) \(declaredType)"
        return isDate ? [stored, ColumnLayout.unixSeconds(as: name, of: quotedName)] : [stored]
    }

    /// Unix seconds, exact for whole microseconds: 0.1 s shows as 0.1, although no stored date has exactly this value.
    static func unixSeconds(as name: String, of stored: String) -> String {
        // SQLite evaluates the expression for each written row, so it calls no function and handles whole seconds
        // first.
        let whole = "CAST(\(stored) AS INTEGER)"
        let fraction = "(\(stored) - \(whole))"
        let micros = "CAST(\(fraction) * 1e6 + 0.5 - (\(fraction) < 0) AS INTEGER)"
        return """
            \(quoted(name)) REAL GENERATED ALWAYS AS (CASE WHEN \(stored) = \(whole) THEN \(stored) + 978307200.0 \
            WHEN \(stored) BETWEEN -7e9 AND 7e9 AND \(micros) / 1e6 - \(fraction) BETWEEN -6e-8 AND 6e-8 \
            THEN ((\(whole) + 978307200) * 1000000 + \(micros)) / 1e6 ELSE \(stored) + 978307200.0 END) VIRTUAL
            """
    }

    package var isRegister: Bool {
        if case .inverseColumn = kind { false } else { true }
    }

    var hasOwnIndex: Bool {
        if case .reference = kind { true } else { false }
    }

    var isOneToOne: Bool {
        switch kind {
        case .inverseColumn, .reference(_, true, _): true
        case .attribute, .reference: false
        }
    }

    package var mergeRule: MergeRule {
        if case .attribute(_, let rule) = kind { rule } else { .latest }
    }

    /// The affinity lets SQLite keep values as they are bound.
    var declaredType: String {
        guard case .attribute(let type, _) = kind else { return "BLOB" }
        return switch type {
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .double, .float, .date: "REAL"
        case .string, .uri, .decimal, .composite: "TEXT"
        case .binary, .transformable, .uuid, .undefined: "BLOB"
        }
    }
}

package func quoted(_ name: String) -> String {
    // Statements ask for this name very often, and it rarely contains a character to replace.
    let isPlain = !name.utf8.contains(UInt8(ascii: "\""))
    return "\"" + (isPlain ? name : name.replacing("\"", with: "\"\"")) + "\""
}

extension ColumnLayout {
    package func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        ColumnReading(kind).value(in: statement, at: index)
    }

    /// A total with a fraction is a double, or decimal text if no double has its value.
    package func total(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        let value = value(in: statement, at: index)
        guard case .double = value, statement.isText(index) else { return value }
        return .decimal(statement.text(index))
    }
}

package final class EntityLayout: Sendable {
    package enum Place: Sendable, Hashable {
        case column(Int)
        /// The side of a one-to-one relationship without a register: writes go to the register `column` of `table`.
        case inverseColumn(Int, table: Int, column: Int)
        /// A to-many relationship with the register `column` as its inverse; the link table `order` keeps positions.
        case inverse(table: Int, column: Int, order: Int?)
        case links(Int, ownsPairs: Bool)
        case none
    }

    package let entity: Entity
    package let code: Int64
    package let table: Int
    package let places: [Place]
    package let holds: [Bool]
    /// Each column's value before any write; null for columns of other entities.
    package let defaults: [PropertyValue]

    init(
        entity: Entity,
        code: Int64,
        table: Int,
        places: [Place],
        holds: [Bool],
        defaults: [PropertyValue]
    ) {
        self.entity = entity
        self.code = code
        self.table = table
        self.places = places
        self.holds = holds
        self.defaults = defaults
    }

    package var propertyColumns: [Int?] {
        places.map { place in
            switch place {
            case .column(let column), .inverseColumn(let column, _, _): column
            case .inverse, .links, .none: nil
            }
        }
    }
}

package struct LinkLayout: Sendable {
    package let index: Int
    package let code: Int64
    package let name: String
    package let source: Int
    package let target: Int
    package let isOrdered: Bool
    /// The relationship is its own inverse: a pair is stored once, with the lesser ID as its source.
    package let isSymmetric: Bool
    let sourceProperty: String
    let targetProperty: String?
    package let definition: String

    package var quotedName: String { quoted(name) }
}

extension Attribute {
    /// Counters add up only where addition is exact on all machines.
    var effectiveRule: MergeRule {
        let isNumber = type.isInteger || type == .double || type == .float
        return mergeRule == .counter && !isNumber ? .latest : mergeRule
    }
}
