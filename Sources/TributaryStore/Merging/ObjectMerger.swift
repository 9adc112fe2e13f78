import TributaryChanges
import TributaryModel

/// Merges inserts, updates and deletions into objects, visible or not.
///
/// The merger loads the state of one object, merges it by the rules in values, and writes the changes. It passes a
/// change of an object's visibility to the mergers of references, owners and links.
final class ObjectMerger {
    let layout: StoreModel
    let tables: MergeTables
    let cursor: TransactionCursor
    let effects: EffectLog
    let references: ReferenceMerger
    let owners: OwnerMerger
    let links: LinkMerger
    let conflicts: ConflictRecorder
    let keys: KeyChanges
    let undecided = UndecidedOwners()
    private struct OlderInsert: Hashable {
        var number: Int64
        var object: ChangeSlice.Object
    }

    /// The greatest entities of inserts that came after greater inserts, until their transactions are merged.
    private var olderInserts: [OlderInsert: Int] = [:]
    /// For each table, whether a new object can decide who owns a target of a one-to-one relationship.
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
        keys = KeyChanges(tables)
        owners = OwnerMerger(tables, cursor: cursor, effects: effects, conflicts: conflicts)
        references = ReferenceMerger(tables, cursor: cursor, effects: effects, owners: owners)
        hasOneToOne = layout.tables.map { $0.columns.contains(where: \.isOneToOne) }
    }

    func forgetInserts() { olderInserts.removeAll() }

    // MARK: Updates

    /// Merges an update.
    ///
    /// `shape` is nil when the values are not the whole change, or come from the other end of a relationship. `entity`
    /// is the one of an insert of which the other values were merged before.
    func update(
        _ table: Int,
        _ id: UniqueID,
        _ writes: [RegisterWrite],
        shape: ChangeShape?,
        insertedAs entity: Int? = nil
    ) throws {
        guard let row = try tables.objects.row(table, id) else {
            var partial = try tables.partialRows.rowOrEmpty(table, id)
            let isHidden = partial.shadow == nil && partial.deleted != nil
            var yields = false
            if let entity, let shadow = partial.shadow, let known = layout.entityIndex(code: shadow.entity) {
                yields = try self.yields(entity, table, id, to: known, insertedAt: shadow.inserted)
            }
            try merge(
                writes,
                into: &partial,
                table,
                id,
                isHidden: isHidden,
                yields: yields,
                entity: shape?.entity ?? entity
            )
            if partial.shadow != nil { return try store(shadow: partial, table, id) }
            return try tables.partialRows.store(partial, table, id)
        }
        try update(table, row, writes, shape: shape, insertedAs: entity)
    }

    func update(
        _ table: Int,
        _ row: VisibleRow,
        _ writes: [RegisterWrite],
        shape: ChangeShape?,
        insertedAs entity: Int? = nil
    ) throws {
        let id = row.id
        let accepted = try merge(writes, into: row, table: table, insertedAs: entity)
        guard !accepted.isEmpty else { return }
        if let shape, row.entity == shape.entity, accepted.count == shape.targets.count {
            try effects.record(.update, table, id, entity: row.entity, keys: try effects.keys(of: shape))
        } else {
            try effects.record(.update, table, id, entity: row.entity, properties: names(of: accepted, table))
        }
    }

    /// Merges values into the partial row of an object that is not visible, for its later insert.
    func merge(
        _ writes: [RegisterWrite],
        into partial: inout PartialRow,
        _ table: Int,
        _ id: UniqueID,
        isHidden: Bool,
        yields: Bool = false,
        entity: Int?
    ) throws {
        for write in writes {
            let rule = layout.tables[table].columns[write.column].mergeRule
            if yields, rule == .latest, partial.registers[write.column]?.version == cursor.number { continue }
            if rule == .counter {
                try add(write, to: id, table)
            } else {
                let subject = ConflictSubject(table: table, id: id, entity: entity)
                if isHidden {
                    try keepConflict(of: write, with: partial.deleted, of: subject)
                } else if let known = partial.registers[write.column] {
                    try keepConflict(of: write, with: known, in: partial, rule, of: subject)
                }
                let register = PartialRow.Register(version: cursor.number, value: write.value)
                try partial.merge(register, column: write.column, rule: rule, by: tables.versions)
            }
        }
    }

    func merge(_ writes: [RegisterWrite], into row: VisibleRow, table: Int, insertedAs entity: Int?) throws -> [Int] {
        let before = row
        var row = row
        var isHeadChanged = false
        var yields = false
        if let entity {
            yields = try self.yields(entity, table, row.id, to: row.entity, insertedAt: row.versions.inserted)
            isHeadChanged = try mergeInsert(of: entity, into: &row, table: table)
        }
        let holds = layout.entities[row.entity].holds
        var accepted: [RegisterWrite] = []
        for write in writes {
            let rule = layout.tables[table].columns[write.column].mergeRule
            let index = StoreModel.ColumnIndex(table: table, column: write.column)
            if rule == .counter {
                let shown = accepted.contains { $0.column == write.column } ? nil : try shownSum(index, of: before)
                try add(write, to: row.id, table)
                // Integers wrap around in the sum as in each total, so that the other totals need not be read.
                if case (.integer(let sum), .integer(let amount)) = (shown, write.value) {
                    accepted.append(RegisterWrite(column: write.column, value: .integer(sum &+ amount)))
                } else {
                    let value = try tables.counterValue(row.id, index, entity: row.entity)
                    accepted.append(RegisterWrite(column: write.column, value: value))
                }
                continue
            }
            let known = row.versions.register(write.column, isHeld: holds[write.column])
            if yields, rule == .latest, known == cursor.number { continue }
            let isAccepted = try rule.accepts(
                Register(version: cursor.number, value: write.value),
                over: known,
                holding: heldValue(index, of: before),
                after: row.versions.deleted,
                by: tables.versions
            )
            if let known, try conflicts.isForeign(known) {
                try keepConflict(of: write, with: known, in: before, table: table, isAccepted: isAccepted)
            }
            guard isAccepted else {
                if known == nil { try keepConflict(of: write, with: row.versions.deleted, in: row, table: table) }
                continue
            }
            row.versions.setRegister(write.column, to: cursor.number, isHeld: holds[write.column])
            accepted.append(write)
        }
        guard !accepted.isEmpty || isHeadChanged else { return [] }
        if row.entity != before.entity {
            accepted += try unwritten(row, table, before: before.entity, besides: accepted)
        }
        let columns = accepted.map(\.column)
        guard isHeadChanged || tables.keys.haveKeys(columns, table) else {
            try write(accepted, to: row, table: table)
            return columns
        }
        let former = try keys.awaited(of: before, table)
        try write(accepted, to: row, table: table)
        try keys.insert(row, table, after: former, isInsert: isHeadChanged)
        return columns
    }

    /// Merges another insert of a visible object: the greatest insert names the concrete entity.
    ///
    /// - Returns: whether it is the greatest.
    private func mergeInsert(of entity: Int, into row: inout VisibleRow, table: Int) throws -> Bool {
        var versions = ObjectVersions(insert: (row.versions.inserted, row.entity))
        guard try versions.insert(at: cursor.number, entity: entity, by: tables.versions, precedes) else {
            return false
        }
        if entity != row.entity {
            row.versions = converted(row.versions, from: row.entity, to: entity)
            try tables.objects.table(table).setEntity(layout.entities[entity].code, rowid: row.rowid)
            row.entity = entity
        }
        row.versions.inserted = cursor.number
        return true
    }

    /// Whether the values of an insert yield to those that its transaction has written, because the transaction inserts
    /// the object under a greater entity as well.
    func yields(_ entity: Int, _ table: Int, _ id: UniqueID, to known: Int, insertedAt inserted: Int64) throws -> Bool {
        if inserted == cursor.number { return precedes(entity, known) }
        guard try tables.versions.isOlder(cursor.number, than: inserted) else { return false }
        let insert = OlderInsert(number: cursor.number, object: ChangeSlice.Object(table: table, id: id))
        let other = olderInserts[insert] ?? entity
        olderInserts[insert] = precedes(entity, other) ? other : entity
        return precedes(entity, other)
    }

    /// The version of a register of an object, visible or not.
    func version(of column: StoreModel.ColumnIndex, _ id: UniqueID) throws -> Int64? {
        guard let row = try tables.objects.row(column.table, id) else {
            return try tables.partialRows.row(column.table, id)?.registers[column.column]?.version
        }
        return row.versions.register(column.column, isHeld: layout.entities[row.entity].holds[column.column])
    }

    /// Compares concrete entities by their names, which are equal on all machines.
    func precedes(_ first: Int, _ second: Int) -> Bool {
        layout.entities[first].entity.name.precedesByBytes(layout.entities[second].entity.name)
    }

    /// The sum of a counter that a visible row shows; nil while nobody has counted, when it shows a default.
    private func shownSum(_ column: StoreModel.ColumnIndex, of row: VisibleRow) throws -> PropertyValue? {
        try tables.counters.isCounted(row.id, column) ? heldValue(column, of: row) : nil
    }

    func add(_ increment: RegisterWrite, to id: UniqueID, _ table: Int) throws {
        let column = StoreModel.ColumnIndex(table: table, column: increment.column)
        try tables.counters.add(increment.value, writer: cursor.writer, to: id, column)
    }

    func names(of columns: [Int], _ table: Int) -> [String] {
        columns.map { layout.tables[table].columns[$0].property }
    }

    /// The values that columns without a write show after a change of the concrete entity.
    ///
    /// A column shows the default where the entity has the property, and nothing otherwise.
    private func unwritten(
        _ row: VisibleRow,
        _ table: Int,
        before: Int,
        besides accepted: [RegisterWrite]
    ) throws -> [RegisterWrite] {
        let columns = layout.tables[table].columns
        let (old, new) = (layout.entities[before], layout.entities[row.entity])
        var shown: [RegisterWrite] = []
        for column in columns.indices where columns[column].isRegister {
            if old.holds[column] == new.holds[column], old.defaults[column] == new.defaults[column] { continue }
            if accepted.contains(where: { $0.column == column }) { continue }
            if columns[column].mergeRule == .counter {
                let index = StoreModel.ColumnIndex(table: table, column: column)
                if try tables.counters.value(of: row.id, index) != nil { continue }
            } else if row.versions.register(column, isHeld: new.holds[column]) != nil {
                continue
            }
            shown.append(RegisterWrite(column: column, value: new.defaults[column]))
        }
        return shown
    }

    /// Writes columns and the head of a row; the row shows references only while their targets are visible.
    func write(_ values: [RegisterWrite], to row: VisibleRow, table: Int) throws {
        let columns = layout.tables[table].columns
        var decisions: [(column: StoreModel.ColumnIndex, target: UniqueID, newcomer: UniqueID?)] = []
        let statement = try tables.objects.table(table).update(values.map(\.column))
        for (index, value) in values.enumerated() {
            var shown = value.value
            if case .reference(let targetTable, let isOneToOne, _) = columns[value.column].kind {
                let column = StoreModel.ColumnIndex(table: table, column: value.column)
                if isOneToOne, let before = try owners.target(shownBy: row, column), value.value != .reference(before) {
                    decisions.append((column, before, nil))
                }
                try tables.references.remove(row.id, column)
                if case .reference(let target) = value.value {
                    if isOneToOne { decisions.append((column, target, row.id)) }
                    if try !tables.visibility.isVisible(targetTable, target) {
                        try tables.references.insert(row.id, column, target: target)
                        shown = try representative(of: target, targetTable, isOneToOne: isOneToOne)
                    }
                }
            }
            statement.bind(Int32(index + 5), shown)
        }
        statement.bind(1, cursor.revision)
        statement.bind(2, row.versions.base)
        statement.bind(3, row.versions.encoded)
        statement.bind(4, row.rowid)
        try statement.run()
        for decision in decisions {
            try owners.decide(decision.target, decision.column, newcomer: decision.newcomer)
        }
    }

    /// The value that a column shows while its target is not visible; ``OwnerMerger`` decides one-to-one columns.
    func representative(of target: UniqueID, _ table: Int, isOneToOne: Bool) throws -> PropertyValue {
        guard !isOneToOne, let shown = try tables.shadows.representative(of: target, table) else { return .null }
        return .reference(shown)
    }

    private func converted(_ versions: RowVersions, from old: Int, to new: Int) -> RowVersions {
        var result = versions
        let columns = layout.tables[layout.entities[old].table].columns
        for column in columns.indices {
            let number = versions.register(column, isHeld: layout.entities[old].holds[column])
            let isHeld = layout.entities[new].holds[column]
            let isCounter = columns[column].mergeRule == .counter
            result.setRegister(column, to: isCounter && isHeld ? versions.base : number, isHeld: isHeld)
        }
        return result
    }

    // MARK: Visibility

    func appear(
        _ table: Int,
        _ id: UniqueID,
        references written: [RegisterWrite],
        isPrepared: Bool = true
    ) throws {
        tables.visibility.set(table, id, isVisible: true)
        try references.resolve(to: table, id, isPrepared: isPrepared)
        if hasOneToOne[table] { try owners.decide(around: id, table: table, written) }
        try links.show(table, id)
    }

    /// Handles an object that is not visible any more; the deletion at `number` supersedes its links.
    func disappear(_ table: Int, _ id: UniqueID, deletedAt number: Int64) throws {
        tables.visibility.set(table, id, isVisible: false)
        try references.unresolve(to: table, id)
        try links.hide(table, id, deletedAt: number, keepsNewer: false)
    }

    /// Handles an object that counted as visible because of an expected insert, and is not visible.
    func withdraw(_ table: Int, _ id: UniqueID) throws {
        guard tables.visibility.countsAsVisible(table, id) else { return }
        tables.visibility.set(table, id, isVisible: false)
        try references.unresolve(to: table, id)
        try links.hide(table, id, deletedAt: nil, keepsNewer: false)
    }
}
