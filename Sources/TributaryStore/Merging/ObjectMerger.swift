import TributaryChanges
import TributaryModel

final class ObjectMerger {
    let layout: StoreModel
    let tables: MergeTables
    let cursor: TransactionCursor
    let effects: EffectLog
    let store: ObjectStore
    let references: ReferenceMerger
    let links: LinkMerger
    let conflicts: ConflictRecorder
    let keys: KeyChanges
    private let hasOneToOne: [Bool]

    init(
        _ tables: MergeTables,
        cursor: TransactionCursor,
        effects: EffectLog,
        links: LinkMerger,
        conflicts: ConflictRecorder
    ) {
        layout = tables.layout
        self.tables = tables
        self.cursor = cursor
        self.effects = effects
        self.links = links
        self.conflicts = conflicts
        store = ObjectStore(tables: tables, cursor: cursor)
        keys = KeyChanges(tables)
        references = ReferenceMerger(tables, cursor: cursor, effects: effects, conflicts: conflicts)
        hasOneToOne = layout.tables.map { $0.columns.contains(where: \.isOneToOne) }
    }

    func update(_ table: Int, _ id: UniqueID, _ writes: [RegisterWrite], shape: ChangeShape?) throws {
        try update(store.load(table, id), writes, shape: shape)
    }

    func update(_ before: StoredObject, _ writes: [RegisterWrite], shape: ChangeShape?) throws {
        var object = before
        try merge(writes, into: &object, insertedAs: nil, of: shape?.entity)
        try store(object, over: before, shape: shape)
    }

    func insert(_ table: Int, _ id: UniqueID, _ writes: [RegisterWrite], shape: ChangeShape) throws {
        let before: StoredObject
        if tables.partialRows.mayContain(table, id), let partial = try tables.partialRows.row(table, id) {
            before = StoredObject(partial, table, id, tables)
        } else {
            if try insertNew(table, id, writes, shape) { return }
            guard let row = try tables.objects.row(table, id) else { return }
            before = StoredObject(row, table, tables)
        }
        if cursor.isLocal, before.isLive {
            throw StoreError.duplicateID(layout.objectID(id, of: layout.entities[before.state.entity ?? shape.entity]))
        }
        var object = before
        try merge(writes, into: &object, insertedAs: shape.entity, of: shape.entity)
        let isVisible = try store(object, over: before)
        if !before.isLive, !isVisible { try withdraw(table, id) }
    }

    func delete(_ table: Int, _ id: UniqueID, _ known: VisibleRow? = nil) throws {
        let before = try known.map { StoredObject($0, table, tables) } ?? store.load(table, id)
        let columns = layout.tables[table].columns
        var object = before
        let isGreatest = try object.state.delete(at: cursor.number, by: tables.versions) { columns[$0].mergeRule }
        guard isGreatest else { return }
        if before.isLive || before.state.deleted == nil {
            let isLive = try object.state.isLive(by: tables.versions)
            try keepConflicts(ofDeletionOf: before) { column in
                !isLive || object.state.registers.version(of: column) == nil
            }
        }
        try store(object, over: before)
        if !before.isLive { try disappear(object.table, object.id, deletedAt: cursor.number) }
    }

    private func merge(
        _ writes: [RegisterWrite],
        into object: inout StoredObject,
        insertedAs entity: Int?,
        of named: Int?
    ) throws {
        let inserted = object.state.inserted
        if let entity { try merge(insertOf: entity, into: &object) }
        let isHidden = try !object.isLive && object.state.deleted != nil && !object.state.isLive(by: tables.versions)
        for write in writes {
            let rule = layout.tables[object.table].columns[write.column].mergeRule
            if rule == .counter {
                try add(write, to: &object)
                continue
            }
            let known = object.state.registers.version(of: write.column)
            let register = PartialRow.Register(version: cursor.number, value: write.value)
            let isAccepted = try object.state.accepts(register, to: write.column, by: rule, tables.versions)
            if isHidden || (known == nil && !isAccepted) {
                try keepConflict(of: write, withDeletionOf: object, of: named)
            } else if let known, try conflicts.isForeign(known) {
                try keepConflict(of: write, with: known, in: object, insertedAt: inserted, isAccepted, of: named)
            }
            if isAccepted { object.state.registers.set(register, of: write.column) }
        }
    }

    private func merge(insertOf entity: Int, into object: inout StoredObject) throws {
        let isGreatest = try object.state.insert(at: cursor.number, entity: entity, by: tables.versions)
        if isGreatest, let row = object.row, row.entity != entity {
            let (table, id) = (object.table, object.id)
            try object.state.registers.convert(to: layout.entities[entity]) { column in
                try tables.counterValue(id, .init(table: table, column: column), entity: entity)
            }
        }
    }

    private func add(_ increment: RegisterWrite, to object: inout StoredObject) throws {
        let column = StoreModel.ColumnIndex(table: object.table, column: increment.column)
        let shown = object.row == nil ? nil : try object.state.registers.value(of: increment.column)
        try tables.counters.add(increment.value, writer: cursor.writer, to: object.id, column)
        guard object.row != nil, let entity = object.state.entity else { return }
        // Integers wrap around, so adding to the shown sum equals adding up all totals, without reading them.
        if case (.integer(let sum), .integer(let amount)) = (shown, increment.value) {
            object.state.registers.show(.integer(sum &+ amount), in: increment.column)
        } else {
            let sum = try tables.counterValue(object.id, column, entity: entity)
            object.state.registers.show(sum, in: increment.column)
        }
    }

    private func names(of object: StoredObject) -> [String] {
        guard let entity = object.state.entity.map({ layout.entities[$0] }) else { return [] }
        return zip(entity.places, entity.entity.properties).compactMap { place, property in
            guard case .column(let column) = place, object.state.registers.version(of: column) != nil else {
                return nil
            }
            return property.name
        }
    }

    /// Returns whether the object is visible afterwards.
    @discardableResult
    func store(_ object: StoredObject, over before: StoredObject, shape: ChangeShape? = nil) throws -> Bool {
        let isLive = try object.state.isLive(by: tables.versions)
        switch before.shown {
        case .itself where isLive: try update(object, over: before, shape)
        case .other(let other) where isLive: try updateShadow(object, before, other)
        case .nothing where !isLive: try store.store(object)
        case .nothing:
            try show(.itself, for: object)
            keys.insert(object.table, object.id)
        case .itself, .other: try show(.nothing, for: object)
        }
        return isLive && before.representative == nil
    }

    private func update(_ object: StoredObject, over before: StoredObject, _ shape: ChangeShape?) throws {
        guard let row = before.row else { return }
        let (table, entity) = (object.table, object.state.entity ?? row.entity)
        let columns = object.state.registers.shown.keys.sorted()
        let isDeleted = object.state.deleted != before.state.deleted
        let isHeadChanged = isDeleted || object.state.inserted != before.state.inserted || entity != row.entity
        guard isHeadChanged || !columns.isEmpty else { return }
        let hasKeys = isHeadChanged || tables.keys.haveKeys(columns, table)
        let former = hasKeys ? try keys.awaited(of: row, table) : nil
        for held in try store.updateRow(object, row) {
            try references.decide(held.target, held.column, incoming: held.incoming)
        }
        if hasKeys {
            var row = row
            row.entity = entity
            try keys.insert(row, table, after: former, isInsert: isHeadChanged)
        }
        if isDeleted { try links.hide(table, object.id, deletedAt: cursor.number, keepsNewer: true) }
        if let shape, entity == shape.entity, columns.count == shape.targets.count {
            try effects.record(.update, table, object.id, entity: entity, keys: try effects.keys(of: shape))
        } else if !columns.isEmpty || entity != row.entity {
            let names = columns.map { layout.tables[table].columns[$0].property }
            try effects.record(.update, table, object.id, entity: entity, properties: names)
        }
    }

    /// Changes what readers see for an object, and then everything that depends on it, in a fixed order.
    private func show(_ shown: StoredObject.Shown, for object: StoredObject) throws {
        let (table, id, row, former) = (object.table, object.id, object.row, object.shown)
        let (isVisible, isDeleted) = (shown == .itself, shown == .nothing)
        let freed = try row.map { try targets(shownBy: $0, table) } ?? []
        let held = try shown.other == nil ? nil : row.map { try tables.keys.keys(of: $0, table) }
        // The pairs of a shadow were shown as pairs of `other`.
        if let other = former.other { try links.shadows.insertPairs(of: id, table, shownAs: other) }
        // Write the stored form (it keeps registers that survive a deletion) and the unique keys.
        if isVisible {
            try store.insertRow(object)
        } else if let other = shown.other, row == nil {
            try tables.shadows.setRepresentative(other, of: id, table)
        } else {
            try store.store(object, shownAs: shown.other)
        }
        if let row {
            if isDeleted { try keys.release(row, table) }
            try store.removeRow(row, table)
        }
        if let held { try tables.shadows.setKeys(held, of: id, table) }
        if former.other != nil, shown.other == nil { try tables.shadows.removeKeys(of: id, table) }
        if isVisible, let entity = object.state.entity {
            try effects.record(.insert, table, id, entity: entity, properties: names(of: object))
        }
        // The references and pairs of other objects.
        if isVisible {
            try appear(table, id, references: writes(of: object), isPrepared: former == .nothing)
        } else if row != nil {
            try disappear(table, id, deletedAt: isDeleted ? cursor.number : nil, shownAs: shown.other)
        } else {
            tables.visibility.set(table, id, isVisible: false)
            try references.show(shown.other, for: id, table)
            // A deletion removes the pairs, even if another object was shown for this object.
            if isDeleted { try links.hide(table, id, deletedAt: cursor.number, keepsNewer: false) }
        }
        // The owners of one-to-one targets.
        for other in [former.other, shown.other].compactMap(\.self) { references.reopen(ownersOf: other, table) }
        for (column, target) in freed {
            if isDeleted { try references.decide(target, column) } else { references.reopen(target, column) }
        }
        if let other = shown.other { try links.shadows.insertPairs(of: id, table, shownAs: other) }
        if let row { try effects.record(.delete, table, id, entity: row.entity, properties: []) }
        if isVisible, tables.keys.refersInKeys(table), let row = try tables.objects.row(table, id) {
            try tables.keys.index(row, table)
        }
    }

    private func writes(of object: StoredObject) throws -> [RegisterWrite] {
        var writes: [RegisterWrite] = []
        try object.state.registers.forEach { column, _ in
            writes.append(RegisterWrite(column: column, value: try object.state.registers.value(of: column)))
        }
        return writes
    }

    private func targets(
        shownBy row: VisibleRow,
        _ table: Int
    ) throws -> [(column: StoreModel.ColumnIndex, target: UniqueID)] {
        try layout.tables[table].columns.indices.compactMap { column in
            let column = StoreModel.ColumnIndex(table: table, column: column)
            return try tables.target(shownBy: row, column).map { (column, $0) }
        }
    }

    /// Inserts without reading first; returns false, and writes nothing, if the object has a row.
    private func insertNew(_ table: Int, _ id: UniqueID, _ writes: [RegisterWrite], _ shape: ChangeShape) throws -> Bool
    {
        let statement = try bindHead(table, id, writes, shape)
        let columns = layout.tables[table].columns
        var unresolved: [(column: StoreModel.ColumnIndex, target: UniqueID)] = []
        for write in writes {
            let index = ObjectTable.firstColumn + Int32(write.column)
            if case .reference(let target) = write.value,
                case .reference(let targetTable, let isOneToOne, _) = columns[write.column].kind,
                try !tables.visibility.isVisible(targetTable, target)
            {
                unresolved.append((StoreModel.ColumnIndex(table: table, column: write.column), target))
                let shown = try tables.representative(of: target, targetTable, isOneToOne: isOneToOne)
                statement.bind(index, shown)
            } else if columns[write.column].mergeRule == .counter {
                let initial = layout.entities[shape.entity].defaults[write.column]
                statement.bind(index, CounterTotals.value(of: [write.value], above: initial))
            } else {
                statement.bind(index, write.value)
            }
        }
        try statement.run()
        guard statement.changedRows > 0 else { return false }
        for (column, target) in unresolved { try tables.references.insert(id, column, target: target) }
        if !shape.isPlain {
            for write in writes where columns[write.column].mergeRule == .counter {
                let column = StoreModel.ColumnIndex(table: table, column: write.column)
                try tables.counters.add(write.value, writer: cursor.writer, to: id, column)
            }
        }
        keys.insert(table, id)
        try effects.record(.insert, table, id, entity: shape.entity, keys: try effects.keys(of: shape))
        try appear(table, id, references: shape.isPlain ? [] : writes)
        return true
    }

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

    private func exceptions(of writes: [RegisterWrite], entity: Int) -> [UInt8] {
        let columns = layout.tables[layout.entities[entity].table].columns
        let written = Set(writes.map(\.column))
        var versions = RowVersions(base: cursor.number)
        for column in columns.indices where layout.entities[entity].holds[column] && !written.contains(column) {
            if columns[column].mergeRule != .counter { versions.setRegister(column, to: nil, isHeld: true) }
        }
        return versions.encoded
    }

    func appear(
        _ table: Int,
        _ id: UniqueID,
        references written: [RegisterWrite],
        isPrepared: Bool = true
    ) throws {
        tables.visibility.set(table, id, isVisible: true)
        try references.resolve(to: table, id, isPrepared: isPrepared)
        if hasOneToOne[table] { try references.decide(around: id, table: table, written) }
        try links.show(table, id)
    }

    private func disappear(
        _ table: Int,
        _ id: UniqueID,
        deletedAt number: Int64?,
        shownAs representative: UniqueID? = nil
    ) throws {
        tables.visibility.set(table, id, isVisible: false)
        try references.unresolve(to: table, id, showing: representative)
        try links.hide(table, id, deletedAt: number, keepsNewer: false)
    }

    /// Hides an object that was treated as visible because of an expected insert, but did not become visible.
    func withdraw(_ table: Int, _ id: UniqueID) throws {
        guard tables.visibility.countsAsVisible(table, id) else { return }
        try disappear(table, id, deletedAt: nil)
    }

    func hide(_ table: Int, _ holder: KeyHolder, behind blocking: KeyHolder, keepsConflict: Bool) throws {
        guard let row = try tables.objects.row(table, holder.id) else { return }
        let object = StoredObject(row, table, tables)
        if keepsConflict { try keepConflict(of: object, holder, behind: blocking) }
        try show(.other(blocking.id), for: object)
    }

    func show(_ shown: StoredObject.Shown, forShadow id: UniqueID, _ table: Int) throws {
        let object = try store.load(table, id)
        if object.representative != nil { try show(shown, for: object) }
    }

    /// The object stays a shadow until unique keys are decided.
    private func updateShadow(_ object: StoredObject, _ before: StoredObject, _ representative: UniqueID) throws {
        let (table, id) = (object.table, object.id)
        let partial = try store.store(object, shownAs: representative)
        try tables.shadows.setKeys(tables.keys.keys(of: partial, table), of: id, table)
        keys.insert(table, id)
        guard object.state.deleted != before.state.deleted else { return }
        try links.hide(table, id, deletedAt: cursor.number, keepsNewer: true)
    }
}
