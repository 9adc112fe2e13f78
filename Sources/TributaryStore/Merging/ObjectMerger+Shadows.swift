import TributaryChanges
import TributaryModel

/// Shadows: live objects that are not visible, because another one has one of their unique keys.
extension ObjectMerger {
    // MARK: Visibility

    func hide(_ table: Int, _ holder: KeyHolder, behind blocking: KeyHolder, keepsConflict: Bool) throws {
        guard let row = try tables.objects.row(table, holder.id) else { return }
        if keepsConflict { try keepConflict(of: row, holder, behind: blocking, table: table) }
        var partial = PartialRow(deleted: row.versions.deleted)
        partial.shadow = PartialRow.Shadow(
            inserted: row.versions.inserted,
            entity: layout.entities[row.entity].code,
            representative: blocking.id
        )
        for column in layout.tables[table].columns.indices {
            let index = StoreModel.ColumnIndex(table: table, column: column)
            if let target = try owners.target(shownBy: row, index) { undecided.insert(index, target) }
            if let register = try register(index, of: row) { partial.registers[column] = register }
        }
        try removeRow(row, table: table)
        try tables.partialRows.store(partial, table, row.id)
        try tables.shadows.setKeys(holder.keys, of: row.id, table)
        tables.visibility.set(table, row.id, isVisible: false)
        try references.unresolve(to: table, row.id, showing: blocking.id)
        undecide(around: row.id, table, shownAs: blocking.id)
        try links.hide(table, row.id, deletedAt: nil, keepsNewer: false)
        try links.shadows.insertPairs(of: row.id, table, shownAs: blocking.id)
        try effects.record(.delete, table, row.id, entity: row.entity, properties: [])
    }

    func reveal(_ table: Int, _ id: UniqueID) throws {
        guard let partial = try tables.partialRows.row(table, id), let shadow = partial.shadow,
            let entity = layout.entityIndex(code: shadow.entity)
        else { return }
        try links.shadows.insertPairs(of: id, table, shownAs: shadow.representative)
        undecide(around: id, table, shownAs: shadow.representative)
        var versions = RowVersions(base: shadow.inserted)
        versions.deleted = partial.deleted
        try insertRow(table, id, partial, entity: entity, versions: versions)
        try tables.shadows.removeKeys(of: id, table)
        let written = partial.registers.map { RegisterWrite(column: $0.key, value: $0.value.value) }
        try effects.record(.insert, table, id, entity: entity, properties: names(of: partial, table, entity: entity))
        try appear(table, id, references: written, isPrepared: false)
    }

    /// Lets references to a shadow show another object than before.
    func represent(
        _ table: Int,
        _ id: UniqueID,
        by representative: UniqueID,
        insteadOf former: UniqueID
    ) throws {
        try links.shadows.insertPairs(of: id, table, shownAs: former)
        try tables.shadows.setRepresentative(representative, of: id, table)
        try references.show(representative, for: id, table)
        undecide(around: id, table, shownAs: former)
        undecide(around: id, table, shownAs: representative)
        try links.shadows.insertPairs(of: id, table, shownAs: representative)
    }

    /// Decides the owners of one-to-one targets that shadows have held, or that stand for shadows.
    func decideOwners() throws {
        for (column, target) in undecided.take() { try owners.decide(target, column) }
    }

    /// Records the one-to-one registers that hold an object, whose owner is that of the object that is shown for it.
    private func undecide(around id: UniqueID, _ table: Int, shownAs shown: UniqueID) {
        for column in layout.incoming[table] {
            guard case .reference(_, true, _) = layout[column].kind else { continue }
            undecided.insert(column, shown)
        }
    }

    // MARK: Changes of shadows

    func insertShadow(
        _ table: Int,
        _ id: UniqueID,
        _ writes: [RegisterWrite],
        over partial: PartialRow,
        entity: Int
    ) throws {
        guard let shadow = partial.shadow, let known = layout.entityIndex(code: shadow.entity) else { return }
        if cursor.isLocal { throw StoreError.duplicateID(layout.objectID(id, of: layout.entities[known])) }
        var partial = partial
        let yields = try yields(entity, table, id, to: known, insertedAt: shadow.inserted)
        var state = ObjectVersions(insert: (shadow.inserted, known))
        if try state.insert(at: cursor.number, entity: entity, by: tables.versions, precedes) {
            partial.shadow?.inserted = cursor.number
            partial.shadow?.entity = layout.entities[entity].code
        }
        try merge(writes, into: &partial, table, id, isHidden: false, yields: yields, entity: entity)
        try store(shadow: partial, table, id)
    }

    func deleteShadow(_ table: Int, _ id: UniqueID, _ known: PartialRow) throws {
        guard let shadow = known.shadow else { return }
        var partial = known
        let columns = layout.tables[table].columns
        var state = ObjectVersions(insert: (shadow.inserted, shadow.entity), deleted: partial.deleted)
        guard try state.delete(at: cursor.number, by: tables.versions) else { return }
        _ = try partial.delete(at: cursor.number, by: tables.versions) { columns[$0].mergeRule }
        var lost = known
        lost.registers = known.registers.filter { partial.registers[$0.key] == nil }
        try keepConflicts(ofDeletionOf: lost, table, id)
        if try state.isVisible(by: tables.versions) {
            try store(shadow: partial, table, id)
            return try links.hide(table, id, deletedAt: cursor.number, keepsNewer: true)
        }
        try links.shadows.insertPairs(of: id, table, shownAs: shadow.representative)
        partial.shadow = nil
        try tables.partialRows.store(partial, table, id)
        try tables.shadows.removeKeys(of: id, table)
        tables.visibility.set(table, id, isVisible: false)
        try references.show(nil, for: id, table)
        undecide(around: id, table, shownAs: shadow.representative)
        // The pairs do not count any more, whatever the object is shown as.
        try links.hide(table, id, deletedAt: cursor.number, keepsNewer: false)
    }

    /// Stores a shadow whose registers or versions have changed.
    func store(shadow partial: PartialRow, _ table: Int, _ id: UniqueID) throws {
        try tables.partialRows.store(partial, table, id)
        try tables.shadows.setKeys(tables.keys.keys(of: partial, table), of: id, table)
        keys.insert(table, id)
    }

    // MARK: Conflicts

    /// Keeps the values of an object that becomes a shadow.
    private func keepConflict(of row: VisibleRow, _ holder: KeyHolder, behind blocking: KeyHolder, table: Int) throws {
        let shared = holder.keys.first { blocking.keys.contains($0) }?.content
        guard let (index, values) = shared, layout.uniqueConstraints[table].indices.contains(index) else { return }
        let names = layout.uniqueConstraints[table][index].names
        try conflicts.keep {
            ConflictEntry(
                kind: .object,
                rule: .uniqueness,
                entity: layout.entities[row.entity].entity.name,
                id: row.id,
                property: names.joined(separator: ", "),
                losing: row.versions.inserted,
                losingValue: .object(zip(names, values).map { JSONMember(key: $0, value: $1.json) }),
                winning: blocking.number,
                winningValue: .string(blocking.id.description),
                object: try self.values(of: row, table: table)
            )
        }
    }
}
