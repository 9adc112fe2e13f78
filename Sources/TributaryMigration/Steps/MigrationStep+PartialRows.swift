import GRDB
import TributaryChanges
import TributaryInference
import TributaryModel
import TributaryStore

/// Migrates objects that are not visible, counters, and the history of deleted objects.
extension MigrationStep {
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
                let name = try self.entityName(table, id, fallback: self.holder(table, columnIndex))
                let write = (table.columns[columnIndex].property, self.whole(held.value).json)
                try self.deferWrite(name, id, write: write, number: held.version)
            }
            guard let new else {
                if let deleted = known.deleted { try self.deferDeletion(table.root.name, id, number: deleted) }
                return
            }
            // An insert looks for a partial row even when it contains only counts.
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
            SELECT root, id, place, writer, total,
                (SELECT max(number) FROM tributary_transaction t WHERE t.writer = c.writer AND t.sequence > 0)
            FROM tributary_former_counter c
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
                let name = try self.entityName(table, id, fallback: self.holder(table, columnIndex))
                let amount = JSONValue.object([JSONMember(key: "increment", value: total.json)])
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

    /// Sets counters without a total to the default, which may differ from the former default.
    func fillCounters() throws {
        let arrivals = Set(before.tables.filter { !mapping.isKept[$0.index] }.compactMap { mapping.tables[$0.index] })
        for table in after.tables where arrivals.contains(table.index) {
            for (columnIndex, column) in table.columns.enumerated() where column.isCounter {
                for entity in after.entities where entity.table == table.index && entity.holds[columnIndex] {
                    try CounterDefaults(db: db).fill(columnIndex, of: table, entity)
                }
            }
        }
    }

    func moveTombstones() throws {
        for table in before.tables where !mapping.isKept[table.index] {
            if let new = mapping.tables[table.index] {
                let code = after.tables[new].code
                guard code != table.code else { continue }
                try db.execute(
                    sql: "UPDATE tributary_tombstone SET root = ? WHERE root = ?",
                    arguments: [code, table.code]
                )
            } else {
                try db.execute(sql: "DELETE FROM tributary_tombstone WHERE root = ?", arguments: [table.code])
            }
        }
    }

    /// Renames entities and properties in history.
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
