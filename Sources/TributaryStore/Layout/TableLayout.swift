package import TributaryChanges
package import TributaryModel

/// The table of a root entity: its own columns, then one for each stored attribute and to-one relationship of the
/// entity and all its sub-entities.
package struct TableLayout: Sendable {
    package let index: Int
    package let root: Entity
    /// The code names the table in the store's own tables.
    package let code: Int64
    package let name: String
    package let columns: [ColumnLayout]
    let registers: [Int]
    package let hasEntityColumn: Bool
    package let entities: [String]
    let readings: [ColumnReading]
    /// Selects the row of an ID in the form that ``RowReading`` reads.
    ///
    /// Faults read rows one by one.
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

/// A column of a root entity's table.
///
/// It keeps its index in the table's list for the life of the store, because the versions in `_exceptions` name columns
/// by index.
package struct ColumnLayout: Sendable {
    package enum Kind: Sendable, Hashable {
        case attribute(AttributeType, MergeRule)
        /// A register that holds an object of the table `target`.
        ///
        /// When several visible objects hold the same target in one-to-one registers, the object with the greatest
        /// version owns it, and the column `inverse` of the target shows the owner.
        case reference(target: Int, isOneToOne: Bool, inverse: Int?)
        /// The other side of a one-to-one relationship: shows the owner from the register `column` of the table
        /// `source`.
        case inverseColumn(source: Int, column: Int)
    }

    package let property: String
    /// The property's name, unless an incompatible property of another sub-entity has that name.
    package let name: String
    package let kind: Kind
    /// A different text at the next opening means that the model changed.
    package let definition: String

    /// Whether large values are kept beside the store.
    ///
    /// The column then has `{"blob":"<SHA-256>","size":N}` as TEXT, which readers with plain SQL see too.
    var isExternal = false

    /// The column that the store itself reads and writes.
    ///
    /// For a date it is a separate column with the seconds since 2001, and the column that readers with plain SQL see
    /// is computed from it.
    package var quotedName: String { quoted(isDate ? "_date_\(name)" : name) }

    var visibleName: String { quoted(name) }

    private var isDate: Bool {
        if case .attribute(.date, _) = kind { true } else { false }
    }

    package var columnDefinitions: [String] {
        let stored = "\(quotedName) \(declaredType)"
        return isDate ? [stored, ColumnLayout.unixSeconds(as: name, of: quotedName)] : [stored]
    }

    /// A generated column with Unix seconds, computed from a column with seconds since 2001.
    ///
    /// It shows a date of whole microseconds exactly: 0.1 as 0.1, although no stored date has exactly that value.
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

    /// Only writes to registers have versions, not writes to inverse columns.
    package var isRegister: Bool {
        if case .inverseColumn = kind { false } else { true }
    }

    /// The index leads from a target to the rows that name it.
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

    /// The type gives the column its affinity, so that SQLite keeps values as they are bound.
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

    /// Reads a writer's total of this counter from `tributary_counter`.
    ///
    /// A total with a fraction is a double, or decimal text where no double has its value.
    package func total(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        let value = value(in: statement, at: index)
        guard case .double = value, statement.isText(index) else { return value }
        return .decimal(statement.text(index))
    }
}

package final class EntityLayout: Sendable {
    package enum Place: Sendable, Hashable {
        case column(Int)
        /// The last-sorted side of a one-to-one relationship.
        ///
        /// Writes go to the register `column` of `table`; the first value is the object's own column that shows the
        /// owner.
        case inverseColumn(Int, table: Int, column: Int)
        /// A to-many relationship with the to-one register `column` of `table` as its inverse; the link table `order`
        /// keeps the positions of an ordered relationship.
        case inverse(table: Int, column: Int, order: Int?)
        case links(Int, ownsPairs: Bool)
        case none
    }

    package let entity: Entity
    /// The number of the concrete entity in `_entity`; kept for the life of the store.
    package let code: Int64
    package let table: Int
    package let places: [Place]
    package let holds: [Bool]
    /// What each column of the table shows for an object of this entity without a write; null for columns of other
    /// entities.
    ///
    /// Sub-entities that share a column may have different defaults for it.
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
    /// The number of the relationship in `tributary_link`; kept for the life of the store.
    package let code: Int64
    package let name: String
    package let source: Int
    package let target: Int
    package let isOrdered: Bool
    /// Whether the relationship is its own inverse: a pair is kept once, with the lesser ID as its source, and read
    /// from both ends.
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
