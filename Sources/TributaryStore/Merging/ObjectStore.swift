import TributaryChanges
import TributaryModel

struct ObjectStore {
    let tables: MergeTables
    let cursor: TransactionCursor

    private var layout: StoreModel { tables.layout }

    func load(_ table: Int, _ id: UniqueID) throws -> StoredObject {
        if let row = try tables.objects.row(table, id) { return StoredObject(row, table, tables) }
        return StoredObject(try tables.partialRows.row(table, id) ?? PartialRow(), table, id, tables)
    }

    @discardableResult
    func store(_ object: StoredObject, shownAs representative: UniqueID? = nil) throws -> PartialRow {
        var partial = PartialRow(deleted: object.state.deleted)
        try object.state.registers.forEach { column, version in
            let value = try object.state.registers.value(of: column)
            partial.registers[column] = PartialRow.Register(version: version, value: value)
        }
        if let representative, let inserted = object.state.inserted, let entity = object.state.entity {
            let code = layout.entities[entity].code
            partial.shadow = PartialRow.Shadow(inserted: inserted, entity: code, representative: representative)
        }
        try tables.partialRows.store(partial, object.table, object.id)
        return partial
    }

    func insertRow(_ object: StoredObject) throws {
        guard let inserted = object.state.inserted, let concrete = object.state.entity else { return }
        let (table, entity) = (object.table, layout.entities[concrete])
        var versions = RowVersions(base: inserted)
        versions.deleted = object.state.deleted
        var values = entity.defaults
        for (index, column) in layout.tables[table].columns.enumerated() where column.isRegister {
            if column.mergeRule == .counter {
                values[index] = try tables.counterValue(object.id, .init(table: table, column: index), entity: concrete)
                continue
            }
            let register = try object.state.registers.register(index)
            versions.setRegister(index, to: register?.version, isHeld: entity.holds[index])
            if let register { values[index] = register.value }
        }
        let objects = try tables.objects.table(table)
        objects.boundHead = nil
        let statement = objects.insert
        statement.bind(1, object.id)
        statement.bind(2, cursor.revision)
        statement.bind(3, versions.base)
        statement.bind(4, versions.encoded)
        statement.bind(5, entity.code)
        for (column, value) in values.enumerated() {
            let shown = try self.shown(value, in: .init(table: table, column: column), of: object.id)
            statement.bind(ObjectTable.firstColumn + Int32(column), shown)
        }
        try statement.run()
        try tables.partialRows.remove(table, object.id)
    }

    /// A one-to-one target that an object begins to hold, or no longer holds (`incoming` is nil).
    typealias HeldTarget = (column: StoreModel.ColumnIndex, target: UniqueID, incoming: UniqueID?)

    func updateRow(_ object: StoredObject, _ row: VisibleRow) throws -> [HeldTarget] {
        guard var versions = object.state.registers.versions, let inserted = object.state.inserted else { return [] }
        (versions.inserted, versions.deleted) = (inserted, object.state.deleted)
        let shown = object.state.registers.shown.sorted { $0.key < $1.key }
        var held: [HeldTarget] = []
        if let entity = object.state.entity, entity != row.entity {
            try tables.objects.table(object.table).setEntity(layout.entities[entity].code, rowid: row.rowid)
        }
        let statement = try tables.objects.table(object.table).update(shown.map(\.key))
        for (index, (place, value)) in shown.enumerated() {
            let column = StoreModel.ColumnIndex(table: object.table, column: place)
            if case .reference(_, let isOneToOne, _) = layout[column].kind {
                if isOneToOne, let before = try tables.target(shownBy: row, column), value != .reference(before) {
                    held.append((column, before, nil))
                }
                try tables.references.remove(row.id, column)
                if isOneToOne, case .reference(let target) = value { held.append((column, target, row.id)) }
            }
            statement.bind(Int32(index + 5), try self.shown(value, in: column, of: row.id))
        }
        statement.bind(1, cursor.revision)
        statement.bind(2, versions.base)
        statement.bind(3, versions.encoded)
        statement.bind(4, row.rowid)
        try statement.run()
        return held
    }

    func removeRow(_ row: VisibleRow, _ table: Int) throws {
        let objects = try tables.objects.table(table)
        try tables.preserved.insert(row, table: table, revision: cursor.revision) { column in
            try objects.value(column, rowid: row.rowid)
        }
        try tables.references.removeAll(of: row.id, table: table)
        if tables.keys.refersInKeys(table) { try tables.shadows.removeKeys(of: row.id, table) }
        objects.delete.bind(1, row.rowid)
        try objects.delete.run()
    }

    /// Records a reference to an invisible target as unresolved; the column then shows its representative or nothing.
    private func shown(_ value: PropertyValue, in column: StoreModel.ColumnIndex, of id: UniqueID) throws
        -> PropertyValue
    {
        guard case .reference(let target) = value, case .reference(let table, let isOneToOne, _) = layout[column].kind,
            try !tables.visibility.isVisible(table, target)
        else { return value }
        try tables.references.insert(id, column, target: target)
        return try tables.representative(of: target, table, isOneToOne: isOneToOne)
    }
}
