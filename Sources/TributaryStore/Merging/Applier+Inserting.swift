import TributaryChanges
import TributaryModel

extension Applier {
    /// An insert of `shape` with the values in `writes`.
    func insert(_ table: Int, _ id: UniqueID, shape: Int) throws {
        let entity = shapes[shape].entity
        if hasHiddenObjects, hiddenObjects[table].mayContain(id), let hidden = try hiddenObject(table, id) {
            return try insert(table, id, over: hidden, entity: entity)
        }
        let statements = try self.table(table)
        statements.directHead = nil
        let statement = statements.insert
        let columns = layout.tables[table].columns
        statement.bind(1, id)
        statement.bind(2, revision)
        statement.bind(3, number == revision ? nil as Int64? : number)
        statement.bind(5, layout.entities[entity].code)
        let isComplete = writes.count == shapes[shape].targets.count
        statement.bind(4, isComplete ? shapes[shape].exceptions : exceptionsOfInsert(entity: entity))
        // Columns are bound in their order below, so what no write and no default touches has to be cleared once.
        if !isComplete || !shapes[shape].isPlain || writes.count < columns.count {
            for (place, value) in layout.entities[entity].defaults.enumerated() {
                statement.bind(TableStatements.firstColumn + Int32(place), value)
            }
        }
        var dangling: [RegisterWrite] = []
        for write in writes {
            let index = TableStatements.firstColumn + Int32(write.place)
            if case .reference(let target) = write.value,
                case .reference(let targetTable, _, _) = columns[write.place].kind,
                try !isVisible(targetTable, target)
            {
                dangling.append(write)
                statement.bindNull(index)
            } else {
                statement.bind(index, write.value)
            }
        }
        try statement.run()
        guard statement.changedRows > 0 else {
            if isStrict { throw StoreError.duplicateID(objectID(table, id, entity: entity)) }
            return try mergeInsert(table, id, entity: entity)
        }
        for write in dangling {
            guard case .reference(let target) = write.value else { continue }
            try addDangling(table, id, place: write.place, target: target)
        }
        if !shapes[shape].isPlain { try addIncrements(table, id) }
        try appear(table, id, claims: shapes[shape].isPlain ? [] : writes)
        let keys = try historyKeys(of: shape)
        try record(.insert, table, id, entity: entity, keys: keys)
    }

    /// An insert of an object that is deleted, or that was written to before it was known.
    private func insert(_ table: Int, _ id: UniqueID, over hidden: HiddenObject, entity: Int) throws {
        var hidden = hidden
        let isVoid = try hidden.deleted.map { try isOlder(than: $0) } ?? false
        try merge(writes, into: &hidden, table, id)
        if isVoid {
            try store(hidden, table, id)
            try breakPromise(table, id)
            return
        }
        let columns = layout.tables[table].columns
        var versions = RowVersions(base: number)
        versions.deleted = hidden.deleted
        var values = layout.entities[entity].defaults
        for place in columns.indices where columns[place].isRegister {
            if columns[place].mergeRule == .counter {
                if let total = try total(table, id, place) { values[place] = total }
                continue
            }
            let register = hidden.registers[place]
            versions.setRegister(place, to: register?.number, isHeld: layout.entities[entity].holds[place])
            if let register { values[place] = register.value }
        }
        try insertRow(table, id, entity: entity, versions: versions, values: values)
        try removeHidden(table, id)
        let references = hidden.registers.map { RegisterWrite(place: $0.key, value: $0.value.value) }
        try appear(table, id, claims: references)
        let names = layout.entities[entity].entity.properties.enumerated().filter { slot, _ in
            guard case .column(let place) = layout.entities[entity].places[slot] else { return false }
            return hidden.registers[place] != nil
        }.map(\.element.name)
        try record(.insert, table, id, entity: entity, properties: names)
    }

    private func insertRow(
        _ table: Int,
        _ id: UniqueID,
        entity: Int,
        versions: RowVersions,
        values: [PropertyValue]
    ) throws {
        let statements = try self.table(table)
        statements.directHead = nil
        let statement = statements.insert
        statement.bind(1, id)
        statement.bind(2, revision)
        statement.bind(3, number == revision ? nil as Int64? : number)
        statement.bind(4, versions.encoded)
        statement.bind(5, layout.entities[entity].code)
        for (place, value) in values.enumerated() {
            var shown = value
            if case .reference(let target) = value,
                case .reference(let targetTable, _, _) = layout.tables[table].columns[place].kind,
                try !isVisible(targetTable, target)
            {
                try addDangling(table, id, place: place, target: target)
                shown = .null
            }
            statement.bind(TableStatements.firstColumn + Int32(place), shown)
        }
        try statement.run()
    }

    /// `_exceptions` of a new row with what is in `writes`.
    private func exceptionsOfInsert(entity: Int) -> [UInt8]? {
        let columns = layout.tables[layout.entities[entity].table].columns
        let written = Set(writes.map(\.place))
        var versions = RowVersions(base: number)
        for place in columns.indices where layout.entities[entity].holds[place] && !written.contains(place) {
            if columns[place].mergeRule != .counter { versions.setRegister(place, to: nil, isHeld: true) }
        }
        return versions.encoded
    }

    private func addIncrements(_ table: Int, _ id: UniqueID) throws {
        for write in writes where layout.tables[table].columns[write.place].mergeRule == .counter {
            try add(write.value, table, id, write.place)
        }
    }

    func historyKeys(of shape: Int) throws -> [UInt32] {
        let form = shapes[shape]
        if let known = form.historyKeys { return known }
        // What the model does not know has no effect that could be told of, and there is no end to such names.
        let names = zip(form.names, form.targets).filter { !$1.isUnknown }.map(\.0)
        let kind: HistoryTransaction.Kind = form.isInsert ? .insert : .update
        let keys = try history.keys(layout.entities[form.entity].entity.name, kind, names)
        form.historyKeys = keys
        return keys
    }

    func objectID(_ table: Int, _ id: UniqueID, entity: Int) -> ManagedObjectID {
        ManagedObjectID(
            store: layout.storeName,
            entity: layout.entities[entity].entity.name,
            rootEntity: layout.tables[table].root.name,
            uniqueID: id
        )
    }
}
