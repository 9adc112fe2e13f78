import TributaryChanges
import TributaryModel

/// The conflicts of registers and of deletions; the recorder decides what is one.
extension ObjectMerger {
    // MARK: Visible objects

    /// Keeps the value that does not stand when a write meets one of another writer.
    func keepConflict(
        of write: RegisterWrite,
        with known: Int64,
        in row: VisibleRow,
        table: Int,
        isAccepted: Bool
    ) throws {
        let insert = row.versions.inserted
        guard try conflicts.isConflict(with: known, isArrivingLost: !isAccepted, insertedAt: insert) else { return }
        let column = StoreModel.ColumnIndex(table: table, column: write.column)
        let held = try heldValue(column, of: row)
        guard held != write.value else { return }
        try conflicts.keep {
            ConflictEntry(
                kind: .value,
                rule: Conflict.Rule(layout[column].mergeRule),
                entity: layout.entities[row.entity].entity.name,
                id: row.id,
                property: layout[column].property,
                losing: isAccepted ? known : cursor.number,
                losingValue: (isAccepted ? held : write.value).json,
                winning: isAccepted ? cursor.number : known,
                winningValue: (isAccepted ? write.value : held).json
            )
        }
    }

    /// Keeps a value that is older than the deletion of an object that has been inserted again.
    func keepConflict(of write: RegisterWrite, with deletion: Int64?, in row: VisibleRow, table: Int) throws {
        let subject = ConflictSubject(table: table, id: row.id, entity: row.entity)
        try keepConflict(of: write, with: deletion, of: subject)
    }

    /// Keeps the values of a visible object that the deletion takes away and had not seen.
    func keepConflicts(ofDeletionOf row: VisibleRow, table: Int, _ isAffected: (Int64) throws -> Bool) throws {
        let columns = layout.tables[table].columns
        let entity = layout.entities[row.entity]
        var object: JSONValue?
        for index in columns.indices where columns[index].isRegister && columns[index].mergeRule != .counter {
            guard let known = row.versions.register(index, isHeld: entity.holds[index]),
                try conflicts.isConflict(with: known, isArrivingLost: false, insertedAt: row.versions.inserted),
                try isAffected(known)
            else { continue }
            let column = StoreModel.ColumnIndex(table: table, column: index)
            try conflicts.keep {
                if object == nil { object = try values(of: row, table: table) }
                return ConflictEntry(
                    kind: .value,
                    rule: .deletion,
                    entity: entity.entity.name,
                    id: row.id,
                    property: columns[index].property,
                    losing: known,
                    losingValue: try heldValue(column, of: row).json,
                    winning: cursor.number,
                    object: object
                )
            }
        }
    }

    func heldValue(_ column: StoreModel.ColumnIndex, of row: VisibleRow) throws -> PropertyValue {
        if case .reference = layout[column].kind {
            return try tables.target(of: row, column).map(PropertyValue.reference) ?? .null
        }
        return try tables.objects.table(column.table).value(column.column, rowid: row.rowid)
    }

    /// The values of all registers of a row but the counters, whose totals are never lost.
    func values(of row: VisibleRow, table: Int) throws -> JSONValue {
        let columns = layout.tables[table].columns
        let holds = layout.entities[row.entity].holds
        var members: [JSONMember] = []
        for index in columns.indices where columns[index].isRegister && columns[index].mergeRule != .counter {
            guard row.versions.register(index, isHeld: holds[index]) != nil else { continue }
            let value = try heldValue(StoreModel.ColumnIndex(table: table, column: index), of: row)
            members.append(JSONMember(key: columns[index].property, value: value.json))
        }
        return .object(members)
    }

    // MARK: Objects that are not visible

    /// Keeps a value of an object that stays deleted, unless its writer had seen the deletion.
    func keepConflict(of write: RegisterWrite, with deletion: Int64?, of subject: ConflictSubject) throws {
        guard let deletion, try conflicts.isConflict(with: deletion, isArrivingLost: true) else { return }
        try conflicts.keep {
            entry(subject, write.column, .deletion, losing: (cursor.number, write.value), winning: (deletion, nil))
        }
    }

    /// Keeps the value that does not stand when a write meets one of another writer in a partial row.
    func keepConflict(
        of write: RegisterWrite,
        with known: PartialRow.Register,
        in partial: PartialRow,
        _ rule: MergeRule,
        of subject: ConflictSubject
    ) throws {
        guard known.value != write.value, try conflicts.isForeign(known.version) else { return }
        let arriving = Register(version: cursor.number, value: write.value)
        let isAccepted = try rule.accepts(
            arriving,
            over: known.version,
            holding: known.value,
            after: nil,
            by: tables.versions
        )
        let insert = partial.shadow?.inserted
        guard try conflicts.isConflict(with: known.version, isArrivingLost: !isAccepted, insertedAt: insert) else {
            return
        }
        let (losing, winning) = isAccepted ? (known, arriving) : (arriving, known)
        try conflicts.keep {
            entry(
                subject,
                write.column,
                Conflict.Rule(rule),
                losing: (losing.version, losing.value),
                winning: (winning.version, winning.value)
            )
        }
    }

    /// Keeps the values of an object that is not visible, when a deletion arrives that had not seen them.
    func keepConflicts(ofDeletionOf partial: PartialRow, _ table: Int, _ id: UniqueID) throws {
        let subject = ConflictSubject(table: table, id: id, entity: nil)
        for (column, register) in partial.registers.sorted(by: { $0.key < $1.key }) {
            let insert = partial.shadow?.inserted
            guard try conflicts.isConflict(with: register.version, isArrivingLost: false, insertedAt: insert) else {
                continue
            }
            try conflicts.keep {
                entry(
                    subject,
                    column,
                    .deletion,
                    losing: (register.version, register.value),
                    winning: (cursor.number, nil)
                )
            }
        }
    }

    private func entry(
        _ subject: ConflictSubject,
        _ column: Int,
        _ rule: Conflict.Rule,
        losing: (number: Int64, value: PropertyValue),
        winning: (number: Int64, value: PropertyValue?)
    ) -> ConflictEntry {
        let column = StoreModel.ColumnIndex(table: subject.table, column: column)
        return ConflictEntry(
            kind: .value,
            rule: rule,
            entity: subject.entity.map { layout.entities[$0].entity.name } ?? conflicts.entityName(of: column),
            id: subject.id,
            property: layout[column].property,
            losing: losing.number,
            losingValue: losing.value.json,
            winning: winning.number,
            winningValue: winning.value?.json
        )
    }
}
