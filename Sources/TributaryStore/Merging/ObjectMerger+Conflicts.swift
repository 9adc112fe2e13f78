import TributaryChanges
import TributaryModel

extension ObjectMerger {
    /// `object` is the state before the write, `inserted` the object's insert before the change with the write.
    func keepConflict(
        of write: RegisterWrite,
        with known: Int64,
        in object: StoredObject,
        insertedAt inserted: Int64?,
        _ isAccepted: Bool,
        of named: Int? = nil
    ) throws {
        guard try conflicts.isConflict(with: known, isArrivingLost: !isAccepted, insertedAt: inserted) else { return }
        let held = PartialRow.Register(version: known, value: try object.state.registers.value(of: write.column))
        guard held.value != write.value else { return }
        let arriving = PartialRow.Register(version: cursor.number, value: write.value)
        let rule = Conflict.Rule.property(layout.tables[object.table].columns[write.column].mergeRule)
        try conflicts.keep {
            var entry = entry(object, write.column, rule, losing: isAccepted ? held : arriving, of: named)
            entry.winning = isAccepted ? arriving.version : held.version
            entry.winningValue = (isAccepted ? arriving : held).value.json
            return entry
        }
    }

    /// Keeps nothing when the writer of the value had seen the deletion.
    func keepConflict(of write: RegisterWrite, withDeletionOf object: StoredObject, of named: Int?) throws {
        guard let deletion = object.state.deleted, try conflicts.isConflict(with: deletion, isArrivingLost: true) else {
            return
        }
        let arriving = PartialRow.Register(version: cursor.number, value: write.value)
        try conflicts.keep {
            var entry = entry(object, write.column, .deletion, losing: arriving, of: named)
            entry.winning = deletion
            return entry
        }
    }

    func keepConflicts(ofDeletionOf object: StoredObject, _ isLost: (_ column: Int) -> Bool) throws {
        var values: JSONValue?
        let inserted = object.state.inserted
        try object.state.registers.forEach { column, known in
            guard isLost(column), try conflicts.isConflict(with: known, isArrivingLost: false, insertedAt: inserted)
            else { return }
            try conflicts.keep {
                if values == nil, object.isLive { values = try self.values(of: object) }
                let value = try object.state.registers.value(of: column)
                let losing = PartialRow.Register(version: known, value: value)
                var entry = entry(object, column, .deletion, losing: losing, of: nil)
                entry.object = values
                return entry
            }
        }
    }

    func keepConflict(of object: StoredObject, _ holder: KeyHolder, behind blocking: KeyHolder) throws {
        let shared = holder.keys.first { blocking.keys.contains($0) }?.content
        guard let (index, values) = shared, layout.uniqueConstraints[object.table].indices.contains(index),
            let entity = object.state.entity, let inserted = object.state.inserted
        else { return }
        let names = layout.uniqueConstraints[object.table][index].names
        try conflicts.keep {
            ConflictEntry(
                kind: .object,
                rule: .uniqueness,
                entity: layout.entities[entity].entity.name,
                id: object.id,
                property: names.joined(separator: ", "),
                losing: inserted,
                losingValue: .object(zip(names, values).map { JSONMember(key: $0, value: $1.json) }),
                winning: blocking.number,
                winningValue: .string(blocking.id.description),
                object: try self.values(of: object)
            )
        }
    }

    /// Without counters: their totals are never lost.
    private func values(of object: StoredObject) throws -> JSONValue {
        let columns = layout.tables[object.table].columns
        var members: [JSONMember] = []
        try object.state.registers.forEach { column, _ in
            let value = try object.state.registers.value(of: column)
            members.append(JSONMember(key: columns[column].property, value: value.json))
        }
        return .object(members)
    }

    private func entry(
        _ object: StoredObject,
        _ column: Int,
        _ rule: Conflict.Rule,
        losing: PartialRow.Register,
        of named: Int?
    ) -> ConflictEntry {
        let index = StoreModel.ColumnIndex(table: object.table, column: column)
        let entity = (object.state.entity ?? named).map { layout.entities[$0].entity.name }
        return ConflictEntry(
            kind: .value,
            rule: rule,
            entity: entity ?? conflicts.entityName(of: index),
            id: object.id,
            property: layout[index].property,
            losing: losing.version,
            losingValue: losing.value.json,
            winning: cursor.number
        )
    }
}
