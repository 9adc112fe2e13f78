import GRDB

/// The views of other programs in the store's file.
///
/// A migration drops them, because SQLite refuses to rename a table or column that a view names, and restores their
/// text unchanged, even if they name a removed column.
struct ForeignViews {
    private struct Item {
        var type: String
        var name: String
        var sql: String
    }

    private let items: [Item]

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

    func restore(in db: Database, path: String) throws {
        for item in items {
            // Trigger names do not collide with the names of tables and views.
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
