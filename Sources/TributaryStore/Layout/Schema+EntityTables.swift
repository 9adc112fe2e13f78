package import GRDB
import TributaryModel

extension Schema {
    package static func createTable(_ table: TableLayout, in db: Database, layout: StoreModel) throws {
        var parts = ["_id BLOB NOT NULL UNIQUE"]
        if table.hasEntityColumn { parts.append("_entity INTEGER NOT NULL") }
        parts += ["_revision INTEGER NOT NULL", "_version INTEGER NOT NULL", "_exceptions BLOB NOT NULL"]
        parts += table.columns.flatMap(\.columnDefinitions)
        try db.execute(sql: "CREATE TABLE \(table.quotedName)(\(parts.joined(separator: ", ")))")
        for column in table.columns { try createIndex(on: column, of: table, in: db) }
    }

    /// The index finds the objects that refer to a target when the target appears or disappears.
    package static func createIndex(on column: ColumnLayout, of table: TableLayout, in db: Database) throws {
        guard column.hasOwnIndex else { return }
        try db.execute(
            sql: """
                CREATE INDEX \(quoted(indexName(of: column, in: table))) ON \(table.quotedName)(\(column.quotedName))
                WHERE \(column.quotedName) IS NOT NULL
                """
        )
    }

    static func indexName(of column: ColumnLayout, in table: TableLayout) -> String {
        // No entity name contains a full stop, while underscores could make two names equal.
        "tributary_to_one_\(table.name).\(column.name)"
    }

    package static func createTable(_ link: LinkLayout, in db: Database) throws {
        let position = link.isOrdered ? "_position TEXT, " : ""
        try db.execute(
            sql: """
                CREATE TABLE \(link.quotedName)(
                    _source BLOB NOT NULL, _target BLOB NOT NULL, \(position)_version INTEGER NOT NULL,
                    PRIMARY KEY (_source, _target)) WITHOUT ROWID
                """
        )
        try createIndex(on: link, in: db)
    }

    static func createIndex(on link: LinkLayout, in db: Database) throws {
        let index = quoted("tributary_target_\(link.name)")
        try db.execute(sql: "CREATE INDEX \(index) ON \(link.quotedName)(_target)")
    }

    package static func createViews(in db: Database, layout: StoreModel) throws {
        for entity in layout.entities where entity.entity.parent != nil {
            let table = layout.tables[entity.table]
            let codes = layout.codes(of: entity.entity, includesSubentities: true).map(String.init)
            let columns = zip(entity.entity.properties, entity.propertyColumns).compactMap { property, column in
                column.map { "\(table.columns[$0].visibleName) AS \(quoted(property.name))" }
            }
            let list = (["_id", "_entity", "_revision"] + columns).joined(separator: ", ")
            try db.execute(
                sql: """
                    CREATE VIEW \(quoted(entity.entity.name)) AS SELECT \(list)
                    FROM \(table.quotedName) WHERE _entity IN (\(codes.joined(separator: ", ")))
                    """
            )
        }
    }

    /// Also drops views of other programs, which may name columns to remove; ``ForeignViews`` restores them.
    package static func dropViews(in db: Database) throws {
        let views = try String.fetchAll(
            db,
            sql: "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT LIKE 'tributary\\_%' ESCAPE '\\'"
        )
        for view in views { try db.execute(sql: "DROP VIEW \(quoted(view))") }
    }

    package static func createModelIndexes(in db: Database, layout: StoreModel) throws {
        for index in modelIndexes(of: layout) {
            let rows = index.condition.map { " WHERE \($0)" } ?? ""
            try db.execute(
                sql: """
                    CREATE INDEX IF NOT EXISTS \(quoted(index.name))
                    ON \(index.table.quotedName)(\(index.columns.joined(separator: ", ")))\(rows)
                    """
            )
        }
    }

    package struct ModelIndex {
        package var name: String
        var table: TableLayout
        var columns: [String]
        var condition: String?
    }

    /// No index is UNIQUE, because imported writes may share a unique key.
    package static func modelIndexes(of layout: StoreModel) -> [ModelIndex] {
        modelIndexesOfEntities(layout)
            + layout.tables.flatMap { table in
                table.columns.compactMap { column in
                    column.beyondType.map { beyond in
                        // Another type has another condition.
                        let name = "tributary_beyond_\(beyond.type.rawValue)_\(table.name).\(column.name)"
                        return ModelIndex(
                            name: name,
                            table: table,
                            columns: [column.quotedName],
                            condition: beyond.condition
                        )
                    }
                }
            }
    }

    private static func modelIndexesOfEntities(_ layout: StoreModel) -> [ModelIndex] {
        layout.entities.flatMap { entity in
            let table = layout.tables[entity.table]
            let parent = entity.entity.parent.flatMap { layout.model.entity(named: $0) }
            func index(_ name: String, on elements: [FetchIndex.Element]) -> ModelIndex? {
                let columns = elements.compactMap { element -> String? in
                    guard let propertyIndex = entity.entity.propertyIndex(named: element.property),
                        let column = entity.propertyColumns[propertyIndex]
                    else { return nil }
                    return table.columns[column].quotedName + (element.isAscending ? "" : " DESC")
                }
                guard columns.count == elements.count, !columns.isEmpty else { return nil }
                return ModelIndex(name: name, table: table, columns: columns)
            }
            let keys = entity.entity.uniquenessConstraints.filter { parent?.uniquenessConstraints.contains($0) != true }
            let fetches = entity.entity.fetchIndexes.filter { parent?.fetchIndexes.contains($0) != true }
            return keys.compactMap { names in
                let name = "tributary_key_\(entity.entity.name)_\(names.joined(separator: "_"))"
                return index(name, on: names.map { FetchIndex.Element($0) })
            }
                + fetches.compactMap { index("tributary_fetch_\(entity.entity.name)_\($0.name)", on: $0.elements) }
        }
    }
}
