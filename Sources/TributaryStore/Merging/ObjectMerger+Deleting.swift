import TributaryChanges
import TributaryModel

extension ObjectMerger {
    /// Deletes an object; `known` is its present row, if it has been read.
    func delete(_ table: Int, _ id: UniqueID, _ known: VisibleRow? = nil) throws {
        guard let row = try known ?? tables.objects.row(table, id) else { return try deletePartial(table, id) }
        var state = ObjectVersions(insert: (row.versions.inserted, row.entity), deleted: row.versions.deleted)
        guard try state.delete(at: cursor.number, by: tables.versions) else { return }
        if try state.isVisible(by: tables.versions) { return try supersedeRegisters(of: row, table: table) }
        try keys.release(row, table)
        try hide(row, table: table)
    }

    /// Turns a visible row into a tombstone with the registers that the deletion does not supersede.
    private func hide(_ row: VisibleRow, table: Int) throws {
        try keepConflicts(ofDeletionOf: row, table: table) { _ in true }
        var partial = PartialRow(deleted: cursor.number)
        var freed: [(column: StoreModel.ColumnIndex, target: UniqueID)] = []
        for column in layout.tables[table].columns.indices {
            let index = StoreModel.ColumnIndex(table: table, column: column)
            #if MUTATIONS
                if Mutation.isOn(.counterSupersededByDelete), layout[index].mergeRule == .counter {
                    try tables.counters.setTotal(nil, writer: cursor.writer, of: row.id, index)
                }
            #endif
            if let target = try owners.target(shownBy: row, index) { freed.append((index, target)) }
            if let register = try remainingRegister(index, of: row) { partial.registers[column] = register }
        }
        try removeRow(row, table: table)
        try tables.partialRows.store(partial, table, row.id)
        try disappear(table, row.id, deletedAt: cursor.number)
        for (column, target) in freed { try owners.decide(target, column) }
        try effects.record(.delete, table, row.id, entity: row.entity, properties: [])
    }

    /// Removes the row of an object that becomes invisible, and keeps the values that are preserved then.
    func removeRow(_ row: VisibleRow, table: Int) throws {
        let objects = try tables.objects.table(table)
        try tables.preserved.insert(row, table: table, revision: cursor.revision) { column in
            try objects.value(column, rowid: row.rowid)
        }
        try tables.references.removeAll(of: row.id, table: table)
        objects.delete.bind(1, row.rowid)
        try objects.delete.run()
    }

    /// The register that the deletion does not supersede; nil when there is none.
    private func remainingRegister(_ index: StoreModel.ColumnIndex, of row: VisibleRow) throws -> PartialRow.Register? {
        if layout[index].mergeRule.isSupersededByDeletion,
            let known = row.versions.register(index.column, isHeld: layout.entities[row.entity].holds[index.column]),
            try tables.versions.isSuperseded(known, by: cursor.number)
        {
            return nil
        }
        return try register(index, of: row)
    }

    /// The register of a row, without the totals of counters; nil for a property that was never written.
    func register(_ index: StoreModel.ColumnIndex, of row: VisibleRow) throws -> PartialRow.Register? {
        let column = layout[index]
        guard column.isRegister, column.mergeRule != .counter,
            let known = row.versions.register(index.column, isHeld: layout.entities[row.entity].holds[index.column])
        else { return nil }
        if case .reference = column.kind {
            let target = try tables.target(of: row, index)
            return PartialRow.Register(version: known, value: target.map(PropertyValue.reference) ?? .null)
        }
        let value = try tables.objects.table(index.table).value(index.column, rowid: row.rowid)
        return PartialRow.Register(version: known, value: value)
    }

    /// Resets the registers that the deletion supersedes to their defaults; a newer insert keeps the object visible.
    private func supersedeRegisters(of row: VisibleRow, table: Int) throws {
        var row = row
        try keepConflicts(ofDeletionOf: row, table: table) { known in
            try tables.versions.isSuperseded(known, by: cursor.number)
        }
        row.versions.deleted = cursor.number
        let holds = layout.entities[row.entity].holds
        var defaults: [RegisterWrite] = []
        for (index, column) in layout.tables[table].columns.enumerated() {
            guard column.isRegister, column.mergeRule.isSupersededByDeletion,
                let known = row.versions.register(index, isHeld: holds[index]),
                try tables.versions.isSuperseded(known, by: cursor.number)
            else { continue }
            row.versions.setRegister(index, to: nil, isHeld: holds[index])
            defaults.append(RegisterWrite(column: index, value: layout.entities[row.entity].defaults[index]))
        }
        try keys.release(row, table)
        try write(defaults, to: row, table: table)
        keys.insert(table, row.id)
        try links.hide(table, row.id, deletedAt: cursor.number, keepsNewer: true)
        if !defaults.isEmpty {
            let names = names(of: defaults.map(\.column), table)
            try effects.record(.update, table, row.id, entity: row.entity, properties: names)
        }
    }

    private func deletePartial(_ table: Int, _ id: UniqueID) throws {
        var partial = try tables.partialRows.rowOrEmpty(table, id)
        if partial.shadow != nil { return try deleteShadow(table, id, partial) }
        let columns = layout.tables[table].columns
        if partial.deleted == nil { try keepConflicts(ofDeletionOf: partial, table, id) }
        let isGreatest = try partial.delete(at: cursor.number, by: tables.versions) { columns[$0].mergeRule }
        guard isGreatest else { return }
        try tables.partialRows.store(partial, table, id)
        try disappear(table, id, deletedAt: cursor.number)
    }
}
