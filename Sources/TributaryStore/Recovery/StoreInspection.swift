import GRDB
import TributaryModel

package struct StoreInspection {
    package static let limit = 100

    let reader: Reader

    /// In SQLite's words; throws if the file is too damaged to be read.
    package func faults() throws -> [String] {
        let found = try String.fetchAll(
            reader.database,
            sql: "PRAGMA integrity_check(\(StoreInspection.limit))"
        )
        return found == ["ok"] ? [] : found
    }

    package func missingStructures() throws -> [String] {
        let present = try Schema.presentStructures(in: reader.database)
        return Schema.structures(of: reader.context.layout).filter { !present.contains($0) }
    }
}

extension Schema {
    fileprivate static func presentStructures(in db: Database) throws -> Set<String> {
        Set(try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type IN ('view', 'index')"))
    }

    static func structures(of layout: StoreModel) -> [String] {
        let views = layout.entities.filter { $0.entity.parent != nil }.map(\.entity.name)
        let references = layout.tables.flatMap { table in
            table.columns.filter(\.hasOwnIndex).map { indexName(of: $0, in: table) }
        }
        let targets = layout.links.map { "tributary_target_\($0.name)" }
        return views + references + targets + modelIndexes(of: layout).map(\.name)
    }

    static func createMissingStructures(in db: Database, layout: StoreModel) throws {
        let present = try presentStructures(in: db)
        for table in layout.tables {
            for column in table.columns where column.hasOwnIndex && !present.contains(indexName(of: column, in: table))
            {
                try createIndex(on: column, of: table, in: db)
            }
        }
        for link in layout.links where !present.contains("tributary_target_\(link.name)") {
            try createIndex(on: link, in: db)
        }
        try createModelIndexes(in: db, layout: layout)
        let views = layout.entities.filter { $0.entity.parent != nil }.map(\.entity.name)
        guard !present.isSuperset(of: views) else { return }
        for view in views where present.contains(view) { try db.execute(sql: "DROP VIEW \(quoted(view))") }
        try createViews(in: db, layout: layout)
    }
}

extension WriteTransaction {
    package func rebuildIndexes() throws {
        try db.execute(sql: "REINDEX")
    }

    package func createMissingStructures() throws {
        try Schema.createMissingStructures(in: db, layout: reader.context.layout)
    }
}
