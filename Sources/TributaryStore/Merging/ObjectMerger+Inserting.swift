import TributaryChanges
import TributaryModel

extension ObjectMerger {
    func insert(_ table: Int, _ id: UniqueID, _ writes: [RegisterWrite], shape: ChangeShape) throws {
        if tables.partialRows.mayContain(table, id), let partial = try tables.partialRows.row(table, id) {
            if partial.shadow != nil {
                return try insertShadow(table, id, writes, over: partial, entity: shape.entity)
            }
            return try insert(table, id, writes, over: partial, entity: shape.entity)
        }
        let statement = try bindHead(table, id, writes, shape)
        let columns = layout.tables[table].columns
        var unresolved: [RegisterWrite] = []
        for write in writes {
            let index = ObjectTable.firstColumn + Int32(write.column)
            if case .reference(let target) = write.value,
                case .reference(let targetTable, let isOneToOne, _) = columns[write.column].kind,
                try !tables.visibility.isVisible(targetTable, target)
            {
                unresolved.append(write)
                statement.bind(index, try representative(of: target, targetTable, isOneToOne: isOneToOne))
            } else {
                statement.bind(index, write.value)
            }
        }
        try statement.run()
        guard statement.changedRows > 0 else {
            if cursor.isLocal { throw StoreError.duplicateID(layout.objectID(id, of: layout.entities[shape.entity])) }
            return try mergeInsert(table, id, writes, entity: shape.entity)
        }
        for write in unresolved {
            guard case .reference(let target) = write.value else { continue }
            try tables.references.insert(id, .init(table: table, column: write.column), target: target)
        }
        if !shape.isPlain {
            for write in writes where columns[write.column].mergeRule == .counter { try add(write, to: id, table) }
        }
        keys.insert(table, id)
        try effects.record(.insert, table, id, entity: shape.entity, keys: try effects.keys(of: shape))
        try appear(table, id, references: shape.isPlain ? [] : writes)
    }

    /// Binds the head of a new row, and the defaults of columns without a bound value.
    private func bindHead(
        _ table: Int,
        _ id: UniqueID,
        _ writes: [RegisterWrite],
        _ shape: ChangeShape
    ) throws -> BoundStatement {
        let entity = layout.entities[shape.entity]
        let objects = try tables.objects.table(table)
        objects.boundHead = nil
        let statement = objects.insert
        statement.bind(1, id)
        statement.bind(2, cursor.revision)
        statement.bind(3, cursor.number)
        statement.bind(5, entity.code)
        let isComplete = writes.count == shape.targets.count
        statement.bind(4, isComplete ? shape.exceptions : exceptions(of: writes, entity: shape.entity))
        if !isComplete || !shape.coversAllColumns {
            for (column, value) in entity.defaults.enumerated() {
                statement.bind(ObjectTable.firstColumn + Int32(column), value)
            }
        }
        return statement
    }

    /// Merges an insert of a visible object: both inserts create one object.
    private func mergeInsert(_ table: Int, _ id: UniqueID, _ writes: [RegisterWrite], entity: Int) throws {
        guard let row = try tables.objects.row(table, id) else { return }
        let accepted = try merge(writes, into: row, table: table, insertedAs: entity)
        guard !accepted.isEmpty || row.entity != entity else { return }
        let now = try tables.objects.row(table, id)?.entity ?? row.entity
        try effects.record(.update, table, id, entity: now, properties: names(of: accepted, table))
    }

    /// Merges an insert of an object that is deleted or has a partial row.
    private func insert(
        _ table: Int,
        _ id: UniqueID,
        _ writes: [RegisterWrite],
        over partial: PartialRow,
        entity: Int
    ) throws {
        var partial = partial
        let state = ObjectVersions(insert: (cursor.number, entity), deleted: partial.deleted)
        let isVisible = try state.isVisible(by: tables.versions)
        try merge(writes, into: &partial, table, id, isHidden: !isVisible, entity: entity)
        guard isVisible else {
            try tables.partialRows.store(partial, table, id)
            return try withdraw(table, id)
        }
        var versions = RowVersions(base: cursor.number)
        versions.deleted = partial.deleted
        try insertRow(table, id, partial, entity: entity, versions: versions)
        keys.insert(table, id)
        let written = partial.registers.map { RegisterWrite(column: $0.key, value: $0.value.value) }
        try effects.record(.insert, table, id, entity: entity, properties: names(of: partial, table, entity: entity))
        try appear(table, id, references: written)
    }

    /// The names of the properties of an entity that a partial row has registers of.
    func names(of partial: PartialRow, _ table: Int, entity: Int) -> [String] {
        layout.entities[entity].entity.properties.enumerated().filter { index, _ in
            guard case .column(let column) = layout.entities[entity].places[index] else { return false }
            return partial.registers[column] != nil
        }.map(\.element.name)
    }

    func insertRow(
        _ table: Int,
        _ id: UniqueID,
        _ partial: PartialRow,
        entity: Int,
        versions head: RowVersions
    ) throws {
        var versions = head
        let columns = layout.tables[table].columns
        var values = layout.entities[entity].defaults
        for column in columns.indices where columns[column].isRegister {
            if columns[column].mergeRule == .counter {
                let index = StoreModel.ColumnIndex(table: table, column: column)
                if let value = try tables.counters.value(of: id, index) { values[column] = value }
                continue
            }
            let register = partial.registers[column]
            versions.setRegister(column, to: register?.version, isHeld: layout.entities[entity].holds[column])
            if let register { values[column] = register.value }
        }
        try insertRow(table, id, entity: entity, versions: versions, values: values)
        try tables.partialRows.remove(table, id)
    }

    private func insertRow(
        _ table: Int,
        _ id: UniqueID,
        entity: Int,
        versions: RowVersions,
        values: [PropertyValue]
    ) throws {
        let objects = try tables.objects.table(table)
        objects.boundHead = nil
        let statement = objects.insert
        statement.bind(1, id)
        statement.bind(2, cursor.revision)
        statement.bind(3, versions.base)
        statement.bind(4, versions.encoded)
        statement.bind(5, layout.entities[entity].code)
        for (column, value) in values.enumerated() {
            var shown = value
            if case .reference(let target) = value,
                case .reference(let targetTable, let isOneToOne, _) = layout.tables[table].columns[column].kind,
                try !tables.visibility.isVisible(targetTable, target)
            {
                try tables.references.insert(id, .init(table: table, column: column), target: target)
                shown = try representative(of: target, targetTable, isOneToOne: isOneToOne)
            }
            statement.bind(ObjectTable.firstColumn + Int32(column), shown)
        }
        try statement.run()
    }

    /// The `_exceptions` of a new row that has values in some of its columns.
    private func exceptions(of writes: [RegisterWrite], entity: Int) -> [UInt8] {
        let columns = layout.tables[layout.entities[entity].table].columns
        let written = Set(writes.map(\.column))
        var versions = RowVersions(base: cursor.number)
        for column in columns.indices where layout.entities[entity].holds[column] && !written.contains(column) {
            if columns[column].mergeRule != .counter { versions.setRegister(column, to: nil, isHeld: true) }
        }
        return versions.encoded
    }
}
