import GRDB
import TributaryChanges
import TributaryModel

extension MigrationStep {
    func setAside() throws {
        let tables = mapping.rewrittenTables
        for table in tables {
            try db.execute(sql: "ALTER TABLE \(table.quotedName) RENAME TO \(MigrationStep.former(table))")
        }
        for link in mapping.rewrittenLinks {
            try db.execute(sql: "ALTER TABLE \(link.quotedName) RENAME TO \(MigrationStep.former(link))")
        }
        let roots = tables.map { String($0.code) }.joined(separator: ", ")
        for name in MigrationStep.setAsideTables {
            try db.execute(
                sql: """
                    CREATE TABLE tributary_former_\(name) AS SELECT * FROM tributary_\(name) WHERE root IN (\(roots));
                    DELETE FROM tributary_\(name) WHERE root IN (\(roots));
                    """
            )
        }
        try db.execute(sql: "CREATE INDEX tributary_former_by_id ON tributary_former_reference(root, id, place)")
        let select = try BoundStatement(db, "SELECT DISTINCT root, place FROM tributary_former_reference")
        try select.forEach { row in
            guard let table = self.before.tableIndex(code: row.integer(0)) else { return }
            self.unresolved.insert(StoreModel.ColumnIndex(table: table, column: Int(row.integer(1))))
        }
        for index in mapping.destinationTables.sorted() {
            try Schema.createTable(after.tables[index], in: db, layout: after)
        }
    }

    private final class Copying {
        let old: TableLayout
        let select: BoundStatement
        let insert: ObjectTable?
        let new: TableLayout?
        var sources: [Int: [Int?]] = [:]

        init(_ step: MigrationStep, _ old: TableLayout) throws {
            self.old = old
            let columns = old.columns.map { "," + $0.quotedName }.joined()
            select = try BoundStatement(
                step.db,
                "SELECT \(ObjectTable.head(old))\(columns) FROM \(MigrationStep.former(old)) ORDER BY rowid"
            )
            new = step.mapping.tables[old.index].map { step.after.tables[$0] }
            insert = try new.map { try ObjectTable(step.db, $0) }
        }
    }

    func copy(_ table: TableLayout) throws {
        let copying = try Copying(self, table)
        let name = copying.new?.root.name ?? table.root.name
        var count = 0
        try copying.select.forEach { row in
            let head = VisibleRow(row, layout: before)
            if let entity = mapping.entities[head.entity] {
                try rewrite(head, row, as: entity, copying)
            } else {
                try deferObject(head, row, table)
            }
            count += 1
            if count == MigrationStep.reported {
                try report(name, adding: count)
                count = 0
            }
        }
        try report(name, adding: count)
    }

    private func rewrite(_ head: VisibleRow, _ row: BoundStatement, as entity: Int, _ copying: Copying) throws {
        guard let new = copying.new, let statements = copying.insert else { return }
        let old = copying.old
        let (held, holds) = (before.entities[head.entity].holds, after.entities[entity].holds)
        let defaults = after.entities[entity].defaults
        let columnIndexes = mapping.columnIndexes[head.entity]
        let sources = copying.sources[head.entity] ?? invert(columnIndexes, count: new.columns.count)
        copying.sources[head.entity] = sources
        var versions = RowVersions(base: head.versions.base)
        versions.inserted = head.versions.inserted
        versions.deleted = head.versions.deleted
        let insert = statements.insert
        for (columnIndex, column) in new.columns.enumerated() {
            let index = ObjectTable.firstColumn + Int32(columnIndex)
            guard let source = sources[columnIndex] else {
                if column.isRegister, !column.isCounter {
                    versions.setRegister(columnIndex, to: nil, isHeld: holds[columnIndex])
                }
                insert.bind(index, defaults[columnIndex])
                continue
            }
            let value = old.columns[source].value(in: row, at: 6 + Int32(source))
            guard column.isRegister, column.mergeRule != .counter else {
                let isNobody = column.isRegister && (value.isNull || !held[source]) && holds[columnIndex]
                insert.bind(index, isNobody ? defaults[columnIndex] : column.converted(value))
                continue
            }
            let number = head.versions.register(source, isHeld: held[source])
            versions.setRegister(columnIndex, to: number, isHeld: holds[columnIndex])
            if number == nil {
                insert.bind(index, defaults[columnIndex])
            } else {
                insert.bind(index, column.converted(value))
                if value.isNull { try moveUnresolved(head.id, old, source, to: new, columnIndex) }
            }
        }
        insert.bind(1, head.id)
        insert.bind(2, row.integer(1))
        insert.bind(3, head.versions.base)
        insert.bind(4, versions.encoded)
        insert.bind(5, after.entities[entity].code)
        try insert.run()
        for (columnIndex, column) in old.columns.enumerated()
        where columnIndexes[columnIndex] == nil && column.isRegister {
            guard column.mergeRule != .counter,
                let number = head.versions.register(columnIndex, isHeld: held[columnIndex])
            else { continue }
            let value = try register(head.id, old, columnIndex, row)
            try deferWrite(
                entityName(head.entity, old, columnIndex),
                head.id,
                write: (column.property, whole(value).json),
                number: number
            )
        }
    }

    private func invert(_ columnIndexes: [Int?], count: Int) -> [Int?] {
        var result = [Int?](repeating: nil, count: count)
        for (old, new) in columnIndexes.enumerated() { if let new { result[new] = old } }
        return result
    }

    /// Includes a value that the row does not show.
    func register(_ id: UniqueID, _ table: TableLayout, _ columnIndex: Int, _ row: BoundStatement) throws
        -> PropertyValue
    {
        let value = table.columns[columnIndex].value(in: row, at: 6 + Int32(columnIndex))
        guard value.isNull, unresolved.contains(StoreModel.ColumnIndex(table: table.index, column: columnIndex)) else {
            return value
        }
        return try target(id, table, columnIndex).map(PropertyValue.reference) ?? .null
    }

    private func target(_ id: UniqueID, _ table: TableLayout, _ columnIndex: Int) throws -> UniqueID? {
        let select = try BoundStatement(
            db,
            "SELECT target FROM tributary_former_reference WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        select.bind(1, table.code)
        select.bind(2, id)
        select.bind(3, Int64(columnIndex))
        return try select.first { $0.id(0) } ?? nil
    }

    private func moveUnresolved(
        _ id: UniqueID,
        _ old: TableLayout,
        _ source: Int,
        to new: TableLayout,
        _ columnIndex: Int
    ) throws {
        guard unresolved.contains(StoreModel.ColumnIndex(table: old.index, column: source)),
            let target = try target(id, old, source),
            case .reference(let targetTable, _, _) = new.columns[columnIndex].kind
        else { return }
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_reference(root, id, place, target_root, target) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        insert.bind(1, new.code)
        insert.bind(2, id)
        insert.bind(3, Int64(columnIndex))
        insert.bind(4, after.tables[targetTable].code)
        insert.bind(5, target)
        try insert.run()
    }

    func copyPartialRows() throws {
        // Shadows are visible while a migration runs; the rows would lose what makes them shadows.
        let shadows = try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM tributary_former_object WHERE inserted IS NOT NULL LIMIT 1"
        )
        guard shadows == nil else {
            throw StoreError.cannotMigrate(
                path: target.configuration.path,
                reason: "objects that share a unique key with others were not made visible before their table was "
                    + "rewritten, and would be lost; the store is unchanged: open it with the former program, and "
                    + "report this as a fault of the program"
            )
        }
        let select = try BoundStatement(db, "SELECT root, id, deleted, registers FROM tributary_former_object")
        try select.forEach { row in
            guard let index = self.before.tableIndex(code: row.integer(0)), let id = row.id(1) else { return }
            let table = self.before.tables[index]
            let known = row.withBytes(3) { PartialRow(deleted: row.optionalInteger(2), packed: $0) }
            var moved = PartialRow(deleted: known.deleted)
            let new = self.mapping.tables[index].map { self.after.tables[$0] }
            for (columnIndex, held) in known.registers {
                if let new, let target = self.mapping.columns[index][columnIndex] {
                    let value = new.columns[target].converted(held.value)
                    moved.registers[target] = PartialRow.Register(version: held.version, value: value)
                    continue
                }
                let name = try self.entityName(table, id, columnIndex: columnIndex)
                let write = (table.columns[columnIndex].property, self.whole(held.value).json)
                try self.deferWrite(name, id, write: write, number: held.version)
            }
            guard let new else {
                if let deleted = known.deleted { try self.deferDeletion(table.root.name, id, number: deleted) }
                return
            }
            // An insert looks for a partial row even when it contains only totals.
            guard moved.deleted != nil || !moved.registers.isEmpty || new.columns.contains(where: \.isCounter) else {
                return
            }
            try self.partialRows.store(moved, new.index, id)
        }
    }

    func copyCounters() throws {
        let select = try BoundStatement(
            db,
            """
            WITH published(writer, last) AS MATERIALIZED (SELECT writer, max(last) FROM tributary_export GROUP BY writer),
            unpublished(number) AS MATERIALIZED (SELECT t.number FROM tributary_outgoing o
                JOIN tributary_transaction t ON t.writer = o.writer AND t.sequence = o.sequence
                LEFT JOIN published p ON p.writer = o.writer WHERE o.sequence > ifnull(p.last, 0)),
            counted(writer, number) AS MATERIALIZED (
                SELECT writer, ifnull(max(number) FILTER (WHERE number NOT IN unpublished), max(number))
                FROM tributary_transaction WHERE sequence > 0 GROUP BY writer)
            SELECT root, id, place, c.writer, total, number
            FROM tributary_former_counter c LEFT JOIN counted ON counted.writer = c.writer
            """
        )
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_counter(root, id, place, writer, total) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        try select.forEach { row in
            guard let index = self.before.tableIndex(code: row.integer(0)), let id = row.id(1) else { return }
            let table = self.before.tables[index]
            let columnIndex = Int(row.integer(2))
            let total = table.columns[columnIndex].total(in: row, at: 4)
            guard let new = self.mapping.tables[index], let target = self.mapping.columns[index][columnIndex] else {
                let name = try self.entityName(table, id, columnIndex: columnIndex)
                let amount = JSONValue(increment: total.json)
                let write = (table.columns[columnIndex].property, amount)
                return try self.deferWrite(name, id, write: write, number: row.integer(5))
            }
            insert.bind(1, self.after.tables[new].code)
            insert.bind(2, id)
            insert.bind(3, Int64(target))
            insert.bind(4, row.integer(3))
            insert.bind(5, total)
            try insert.run()
        }
    }

    func fillCounters() throws {
        let destinations = mapping.destinationTables
        for table in after.tables where destinations.contains(table.index) {
            for (columnIndex, column) in table.columns.enumerated() where column.isCounter {
                try after.fillCounter(columnIndex, of: table, in: db)
            }
        }
    }

    func moveTombstones() throws {
        for table in mapping.rewrittenTables {
            guard let new = mapping.tables[table.index] else {
                try db.execute(sql: "DELETE FROM tributary_tombstone WHERE root = ?", arguments: [table.code])
                continue
            }
            let codes = [after.tables[new].code, table.code]
            guard codes[0] != codes[1] else { continue }
            try db.execute(
                sql: "UPDATE tributary_tombstone SET root = ? WHERE root = ?",
                arguments: [codes[0], codes[1]]
            )
        }
    }

    func renameShapes() throws {
        let kinds: Set<MigrationChange.Kind> = [.renameEntity, .renameProperty]
        guard inference.changes.contains(where: { kinds.contains($0.kind) }) else { return }
        try HistoryShapeTable(db: db).rename { entity, properties in
            guard let old = before.entities.firstIndex(where: { $0.entity.name == entity }),
                let new = mapping.entities[old]
            else { return nil }
            let names = properties.map { mapping.successor(of: $0, of: old) ?? $0 }
            return (after.entities[new].entity.name, names)
        }
    }
}
