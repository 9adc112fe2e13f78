import GRDB

/// The views in the store's file that are not the store's own, and their triggers, as they were before a migration.
///
/// SQLite refuses to rename what a view names, so a migration drops all views. Those that others have made are put back
/// as they were written. One that names what is gone then answers with SQLite's error, and its text is not lost.
struct ForeignViews {
    private struct Item {
        var type: String
        var name: String
        var sql: String
    }

    private let items: [Item]

    /// Reads the views of the file that are not of an entity; their triggers follow them.
    init(in db: Database) throws {
        items = try GRDB.Row.fetchAll(
            db,
            sql: """
                WITH other(name) AS (
                    SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT LIKE 'tributary\\_%' ESCAPE '\\'
                    AND name NOT IN (SELECT name FROM tributary_catalogue WHERE kind = 'entity'))
                SELECT type, name, sql FROM sqlite_schema
                WHERE type IN ('view', 'trigger') AND tbl_name IN (SELECT name FROM other) ORDER BY type DESC, rowid
                """
        )
        .map { Item(type: $0[0], name: $0[1], sql: $0[2]) }
    }

    /// Creates those that the migration has dropped.
    ///
    /// - Parameters:
    ///   - db: the store, in the transaction of the migration.
    ///   - path: the store's file, for the error.
    /// - Throws: ``StoreError`` `cannotMigrate` when an entity or a relationship of the model now has a view's name.
    func restore(in db: Database, path: String) throws {
        for item in items {
            // Triggers have names of their own.
            let found = try String.fetchAll(
                db,
                sql: """
                    SELECT ifnull(sql, '') FROM sqlite_schema
                    WHERE name = ? COLLATE NOCASE AND (type = 'trigger') = (? = 'trigger')
                    """,
                arguments: [item.name, item.type]
            )
            if found == [item.sql] { continue }
            guard found.isEmpty else {
                throw StoreError.cannotMigrate(
                    path: path,
                    reason: """
                        the \(item.type) '\(item.name)', which another program has put into the file, has a name that the \
                        model now uses; drop or rename it
                        """
                )
            }
            try db.execute(sql: item.sql)
        }
    }
}
