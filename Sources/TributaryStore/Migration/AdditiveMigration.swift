import GRDB
import TributaryChanges
import TributaryModel

/// The last part of a migration adds entities and properties, and merges deferred writes that now fit the model.
struct AdditiveMigration {
    let db: Database
    let target: MigrationTarget

    /// `added` are all names that may have a new meaning; nil means any name.
    func run(added: Set<String>?) throws -> StoreModel {
        let before = try Catalogue(db)
        let layout = target.layout(before)
        try Schema.dropViews(in: db)
        for table in layout.tables {
            if before[.entity, "", table.root.name] == nil {
                try Schema.createTable(table, in: db, layout: layout)
            } else {
                try extend(table, layout, before)
            }
        }
        for link in layout.links where before[.link, "", link.name] == nil { try Schema.createTable(link, in: db) }
        try Schema.createViews(in: db, layout: layout)
        try Schema.createModelIndexes(in: db, layout: layout)
        try Catalogue(layout).write(to: db)
        let context = StoreContext(configuration: target.configuration, layout: layout)
        try DeferredReplay(db: db, context: context).run(added)
        return layout
    }

    // MARK: Tables

    private func extend(_ table: TableLayout, _ layout: StoreModel, _ before: Catalogue) throws {
        let hadEntity = before.entries.contains { key, entry in
            key.kind == .entity && key.name != table.root.name && table.entities.contains(key.name)
                && entry.table == table.name
        }
        if table.hasEntityColumn, !hadEntity {
            try db.execute(
                sql: "ALTER TABLE \(table.quotedName) ADD COLUMN _entity INTEGER NOT NULL DEFAULT \(table.code)"
            )
        }
        var added: [Int] = []
        var changed: [Int] = []
        for (columnIndex, column) in table.columns.enumerated() {
            guard let known = before[.column, table.root.name, column.name] else {
                for definition in column.columnDefinitions {
                    try db.execute(sql: "ALTER TABLE \(table.quotedName) ADD COLUMN \(definition)")
                }
                try Schema.createIndex(on: column, of: table, in: db)
                added.append(columnIndex)
                continue
            }
            if known.initial != layout.initial(of: columnIndex, in: table) { changed.append(columnIndex) }
        }
        guard !added.isEmpty || !changed.isEmpty else { return }
        for entity in layout.entities where entity.table == table.index && !entity.entity.isAbstract {
            let held = added.filter { entity.holds[$0] }
            try fillExceptions(table, entity, added: held, changed: changed.filter { entity.holds[$0] })
            try fillPlain(table, entity, added: held)
        }
        for columnIndex in changed where table.columns[columnIndex].mergeRule == .counter {
            try layout.fillCounter(columnIndex, of: table, in: db)
        }
    }

    private func fillExceptions(_ table: TableLayout, _ entity: EntityLayout, added: [Int], changed: [Int]) throws {
        let select = try BoundStatement(
            db,
            """
            SELECT \(ObjectTable.head(table)) FROM \(table.quotedName)
            WHERE rowid > ?1 AND _exceptions <> \(RowVersions.noneInSQL) \(table.condition(entity)) ORDER BY rowid LIMIT 1000
            """
        )
        let statements = try ObjectTable(db, table)
        var last: Int64 = 0
        while true {
            var rows: [(rowid: Int64, revision: Int64, versions: RowVersions)] = []
            select.bind(1, last)
            try select.forEach { row in
                let versions = row.withBytes(3) { RowVersions(base: row.integer(2), encoded: $0) }
                rows.append((row.integer(0), row.integer(1), versions))
            }
            guard let end = rows.last?.rowid else { return }
            last = end
            for row in rows {
                let versions = withExceptions(row.versions, for: added, of: table)
                let columnIndexes =
                    added
                    + changed.filter { columnIndex in
                        table.columns[columnIndex].mergeRule != .counter
                            && versions.register(columnIndex, isHeld: true) == nil
                    }
                let update = try statements.update(columnIndexes)
                update.bind(1, row.revision)
                update.bind(2, versions.base)
                update.bind(3, versions.encoded)
                update.bind(4, row.rowid)
                for (index, columnIndex) in columnIndexes.enumerated() {
                    update.bind(Int32(index + 5), entity.defaults[columnIndex])
                }
                try update.run()
            }
        }
    }

    private func withExceptions(_ known: RowVersions, for added: [Int], of table: TableLayout) -> RowVersions {
        var versions = known
        for columnIndex in added where table.columns[columnIndex].mergeRule != .counter {
            versions.setRegister(columnIndex, to: nil, isHeld: true)
        }
        return versions
    }

    private func fillPlain(_ table: TableLayout, _ entity: EntityLayout, added: [Int]) throws {
        guard !added.isEmpty else { return }
        let versions = withExceptions(RowVersions(base: 0), for: added, of: table)
        let sets = added.enumerated().map { ",\(table.columns[$1].quotedName) = ?\($0 + 2)" }.joined()
        let update = try BoundStatement(
            db,
            """
            UPDATE \(table.quotedName) SET _exceptions = ?1\(sets)
            WHERE _exceptions = \(RowVersions.noneInSQL) \(table.condition(entity))
            """
        )
        update.bind(1, versions.encoded)
        for (index, columnIndex) in added.enumerated() { update.bind(Int32(index + 2), entity.defaults[columnIndex]) }
        try update.run()
    }
}

extension StoreModel {
    /// The default plus the sum of the totals (merge statement 9).
    ///
    /// One scan of the table and its totals for each entity. The IDs of all objects with increments are in memory.
    func fillCounter(_ columnIndex: Int, of table: TableLayout, in db: Database) throws {
        let name = table.columns[columnIndex].quotedName
        let totals = CounterTable(db, layout: self)
        for entity in entities where entity.table == table.index && entity.holds[columnIndex] {
            let counted = "SELECT id FROM tributary_counter WHERE root = ?2 AND place = ?3"
            let plain = try BoundStatement(
                db,
                "UPDATE \(table.quotedName) SET \(name) = ?1 WHERE _id NOT IN (\(counted)) \(table.condition(entity))"
            )
            plain.bind(1, entity.defaults[columnIndex])
            plain.bind(2, table.code)
            plain.bind(3, Int64(columnIndex))
            try plain.run()
            let select = try BoundStatement(
                db,
                "SELECT _id FROM \(table.quotedName) WHERE _id IN (\(counted)) \(table.condition(entity))"
            )
            select.bind(2, table.code)
            select.bind(3, Int64(columnIndex))
            let update = try BoundStatement(db, "UPDATE \(table.quotedName) SET \(name) = ?1 WHERE _id = ?2")
            var ids: [UniqueID] = []
            try select.forEach { row in row.id(0).map { ids.append($0) } }
            for id in ids {
                let column = ColumnIndex(table: table.index, column: columnIndex)
                update.bind(1, try totals.value(of: id, column, above: entity.defaults[columnIndex]))
                update.bind(2, id)
                try update.run()
            }
        }
    }
}

extension TableLayout {
    func condition(_ entity: EntityLayout) -> String { hasEntityColumn ? "AND _entity = \(entity.code)" : "" }
}

extension ColumnLayout {
    var isCounter: Bool { isRegister && mergeRule == .counter }

    func converted(_ value: PropertyValue) -> PropertyValue {
        if case .attribute(let type, _) = kind { type.converted(value) } else { value }
    }
}
