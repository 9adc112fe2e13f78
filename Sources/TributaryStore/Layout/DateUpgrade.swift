import GRDB
import TributaryChanges

/// Upgrades a store of layout 1, which kept dates as Unix seconds, to seconds since 2001.
struct DateUpgrade {
    let db: Database

    private static let function = "tributary_since_2001"

    func run() throws {
        // The views name columns that get other names; the migration that follows creates the views again.
        try Schema.dropViews(in: db)
        db.add(function: seconds)
        defer { db.remove(function: seconds) }
        let catalogue = try Catalogue(db)
        for (key, entry) in catalogue.entries where key.kind == .column && entry.definition.hasPrefix("Date, ") {
            guard let table = catalogue[.entity, "", key.owner]?.table else { continue }
            try convert(key.name, table: quoted(table))
        }
    }

    private func convert(_ name: String, table: String) throws {
        let stored = quoted("_date_\(name)")
        let visible = ColumnLayout.unixSeconds(as: name, of: stored)
        try db.execute(
            sql: """
                ALTER TABLE \(table) RENAME COLUMN \(quoted(name)) TO \(stored);
                UPDATE \(table) SET \(stored) = \(DateUpgrade.function)(\(stored)) WHERE \(stored) IS NOT NULL;
                ALTER TABLE \(table) ADD COLUMN \(visible);
                """
        )
    }

    /// The date nearest to the given Unix seconds, converted like the numbers of a log.
    private var seconds: DatabaseFunction {
        DatabaseFunction(DateUpgrade.function, argumentCount: 1, pure: true) { values in
            Double.fromDatabaseValue(values[0]).map { DateValue(unixSeconds: $0).secondsSinceReferenceDate }
        }
    }
}
