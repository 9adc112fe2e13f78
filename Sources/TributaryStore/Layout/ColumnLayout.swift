import TributaryChanges
import TributaryModel

/// A column of a root entity's table.
///
/// Its index in the table's list of columns is kept for the life of the store: the versions in `_exceptions` name columns
/// by it.
struct ColumnLayout: Sendable {
    enum Kind: Sendable, Hashable {
        case attribute(AttributeType, MergeRule)
        /// A register that holds an object of the table `target`. Of several visible objects whose one-to-one registers
        /// hold one target, that with the greatest version owns it. `inverse` is then the target's
        /// column that shows who.
        case reference(target: Int, isOneToOne: Bool, inverse: Int?)
        /// The other side of a one-to-one relationship: shows what the register `column` of the table `source` says.
        case inverseColumn(source: Int, column: Int)
    }

    /// The property's name in the model.
    let property: String
    /// The column's name in the table: the property's, unless an unlike property of another sub-entity has it.
    let name: String
    let kind: Kind
    /// What the store's catalogue says of the column; another text at the next opening means that the model changed.
    let definition: String

    /// Whether large values lie beside the store.
    ///
    /// The column then has `{"blob":"<SHA-256>","size":N}` as TEXT, for readers with plain SQL too.
    var isExternal = false

    /// The column that the store itself reads and writes.
    ///
    /// Of a date it is one of our own, with the seconds since 2001: the column that readers with plain SQL see is
    /// computed from it.
    var quotedName: String { quoted(isDate ? "_date_\(name)" : name) }

    /// The column as readers with plain SQL see it.
    var visibleName: String { quoted(name) }

    private var isDate: Bool {
        if case .attribute(.date, _) = kind { true } else { false }
    }

    /// What `CREATE TABLE` and `ALTER TABLE … ADD COLUMN` say of it.
    var columnDefinitions: [String] {
        let stored = "\(quotedName) \(declaredType)"
        return isDate ? [stored, ColumnLayout.unixSeconds(as: name, of: quotedName)] : [stored]
    }

    /// A column with Unix seconds, computed from one with seconds since 2001.
    ///
    /// Where whole microseconds are all there is to a date, it shows them: 0.1 as 0.1, though no date is that exactly.
    static func unixSeconds(as name: String, of stored: String) -> String {
        // SQLite computes it for each row that is written: no function, and whole seconds at once.
        let whole = "CAST(\(stored) AS INTEGER)"
        let fraction = "(\(stored) - \(whole))"
        let micros = "CAST(\(fraction) * 1e6 + 0.5 - (\(fraction) < 0) AS INTEGER)"
        return """
            \(quoted(name)) REAL GENERATED ALWAYS AS (CASE WHEN \(stored) = \(whole) THEN \(stored) + 978307200.0 \
            WHEN \(stored) BETWEEN -7e9 AND 7e9 AND \(micros) / 1e6 - \(fraction) BETWEEN -6e-8 AND 6e-8 \
            THEN ((\(whole) + 978307200) * 1000000 + \(micros)) / 1e6 ELSE \(stored) + 978307200.0 END) VIRTUAL
            """
    }

    /// Whether writes to it have versions; inverse columns have none.
    var isRegister: Bool {
        if case .inverseColumn = kind { false } else { true }
    }

    /// Whether it is one of the two columns of a one-to-one relationship.
    var isOneToOne: Bool {
        switch kind {
        case .inverseColumn, .reference(_, true, _): true
        case .attribute, .reference: false
        }
    }

    var mergeRule: MergeRule {
        if case .attribute(_, let rule) = kind { rule } else { .latest }
    }

    /// The declared type, for its affinity: values are kept as they are bound.
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
func quoted(_ name: String) -> String {
    // Asked for many times for each statement, and hardly ever is there anything to replace.
    let isPlain = !name.utf8.contains(UInt8(ascii: "\""))
    return "\"" + (isPlain ? name : name.replacing("\"", with: "\"\"")) + "\""
}
