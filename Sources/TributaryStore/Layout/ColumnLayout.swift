package import TributaryChanges
package import TributaryModel

/// A column of a root entity's table.
///
/// The column keeps its index in the table's list for the life of the store, because the versions in `_exceptions` name
/// columns by index.
package struct ColumnLayout: Sendable {
    package enum Kind: Sendable, Hashable {
        case attribute(AttributeType, MergeRule)
        /// A register that holds an object of the table `target`.
        ///
        /// When the one-to-one registers of several visible objects hold one target, the object with the greatest
        /// version owns it. `inverse` is then the column of the target that shows the owner.
        case reference(target: Int, isOneToOne: Bool, inverse: Int?)
        /// The other side of a one-to-one relationship: shows the owner from the register `column` of the table
        /// `source`.
        case inverseColumn(source: Int, column: Int)
    }

    package let property: String
    /// The name of the column in the table.
    ///
    /// It is the property's name, unless an incompatible property of another sub-entity has that name.
    package let name: String
    package let kind: Kind
    /// The definition of the column in the catalogue; a different text at the next opening means that the model
    /// changed.
    package let definition: String

    /// Whether large values are kept beside the store.
    ///
    /// The column then has `{"blob":"<SHA-256>","size":N}` as TEXT, which readers with plain SQL see too.
    var isExternal = false

    /// The column that the store itself reads and writes.
    ///
    /// For a date it is a separate column with the seconds since 2001; the column that readers with plain SQL see is
    /// computed from it.
    package var quotedName: String { quoted(isDate ? "_date_\(name)" : name) }

    /// The column that readers with plain SQL see.
    var visibleName: String { quoted(name) }

    private var isDate: Bool {
        if case .attribute(.date, _) = kind { true } else { false }
    }

    /// The column definitions for `CREATE TABLE` and `ALTER TABLE … ADD COLUMN`.
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

    /// Whether writes to the column have versions; writes to inverse columns have none.
    package var isRegister: Bool {
        if case .inverseColumn = kind { false } else { true }
    }

    /// Whether the column has an index that leads from a target to the rows that name it.
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

    /// The declared type, which gives the column its affinity, so that SQLite keeps values as they are bound.
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

/// `name` as an SQL identifier.
package func quoted(_ name: String) -> String {
    // Statements ask for this name very often, and it rarely contains a character to replace.
    let isPlain = !name.utf8.contains(UInt8(ascii: "\""))
    return "\"" + (isPlain ? name : name.replacing("\"", with: "\"\"")) + "\""
}
