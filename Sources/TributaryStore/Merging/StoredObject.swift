import TributaryChanges
import TributaryModel

/// An object as the merge sees it: visible with a row in its table, or at most with a row in `tributary_object`.
struct StoredObject {
    enum Shown: Equatable {
        case nothing
        case itself
        /// An older object with one of its unique keys.
        case other(UniqueID)

        var other: UniqueID? { if case .other(let id) = self { id } else { nil } }
    }

    let table: Int
    let id: UniqueID
    let row: VisibleRow?
    let representative: UniqueID?
    var state: ObjectMergeState<StoredRegisters, Int>

    var isLive: Bool { row != nil || representative != nil }

    var shown: Shown { row == nil ? representative.map { .other($0) } ?? .nothing : .itself }

    init(_ row: VisibleRow, _ table: Int, _ tables: MergeTables) {
        (self.table, id, self.row, representative) = (table, row.id, row, nil)
        state = ObjectMergeState(
            insert: (row.versions.inserted, row.entity),
            deleted: row.versions.deleted,
            registers: StoredRegisters(row, table, tables)
        )
    }

    init(_ partial: PartialRow, _ table: Int, _ id: UniqueID, _ tables: MergeTables) {
        (self.table, self.id, row, representative) = (table, id, nil, partial.shadow?.representative)
        let insert = partial.shadow.flatMap { shadow in
            tables.layout.entityIndex(code: shadow.entity).map { (version: shadow.inserted, entity: $0) }
        }
        let registers = StoredRegisters(partial.registers, table, tables)
        state = ObjectMergeState(insert: insert, deleted: partial.deleted, registers: registers)
    }
}

/// Registers by column, without counters; the values of a row are read on demand, except new values.
struct StoredRegisters: RegisterSet {
    private let tables: MergeTables
    private let table: Int
    private let row: VisibleRow?
    private var entity: EntityLayout?
    private var written: RowVersions?
    private var changed: [Int: PropertyValue] = [:]
    /// Registers that a deletion superseded; recording them in `written` would make a deletion a third slower.
    private var removed: [Bool] = []
    private(set) var partial: [Int: PartialRow.Register] = [:]

    init(_ row: VisibleRow, _ table: Int, _ tables: MergeTables) {
        (self.tables, self.table, self.row) = (tables, table, row)
        (entity, written) = (tables.layout.entities[row.entity], row.versions)
    }

    init(_ partial: [Int: PartialRow.Register], _ table: Int, _ tables: MergeTables) {
        (self.tables, self.table, self.partial) = (tables, table, partial)
        row = nil
    }

    private var columns: [ColumnLayout] { tables.layout.tables[table].columns }

    var versions: RowVersions? {
        guard var versions = written, let entity, !removed.isEmpty else { return written }
        for column in removed.indices where removed[column] {
            versions.setRegister(column, to: nil, isHeld: entity.holds[column])
        }
        return versions
    }

    /// The columns with values that differ from the stored row.
    var shown: [Int: PropertyValue] {
        guard let entity else { return changed }
        var shown = changed
        for column in removed.indices where removed[column] { shown[column] = entity.defaults[column] }
        return shown
    }

    private func isRemoved(_ column: Int) -> Bool { !removed.isEmpty && removed[column] }

    func forEach(_ body: (_ column: Int, _ version: Int64) throws -> Void) rethrows {
        guard let written, let entity else {
            for (column, register) in partial.sorted(by: { $0.key < $1.key }) { try body(column, register.version) }
            return
        }
        for column in tables.layout.tables[table].registers where !isRemoved(column) {
            if let version = written.register(column, isHeld: entity.holds[column]) { try body(column, version) }
        }
    }

    mutating func remove(_ isSuperseded: (Int, Int64) throws -> Bool) rethrows {
        guard entity != nil else {
            partial = try partial.filter { try !isSuperseded($0.key, $0.value.version) }
            return
        }
        var removed = removed.isEmpty ? Array(repeating: false, count: columns.count) : removed
        try forEach { column, version in
            if try isSuperseded(column, version) { removed[column] = true }
        }
        self.removed = removed
        if !changed.isEmpty { changed = changed.filter { !removed[$0.key] } }
    }

    func version(of column: Int) -> Int64? {
        guard let written, let entity else { return partial[column]?.version }
        return isRemoved(column) ? nil : written.register(column, isHeld: entity.holds[column])
    }

    func value(of column: Int) throws -> PropertyValue {
        guard let row, let entity else { return partial[column]?.value ?? .null }
        if isRemoved(column) { return entity.defaults[column] }
        return try changed[column] ?? tables.value(of: StoreModel.ColumnIndex(table: table, column: column), in: row)
    }

    func register(_ column: Int) throws -> PartialRow.Register? {
        try version(of: column).map { PartialRow.Register(version: $0, value: try value(of: column)) }
    }

    mutating func set(_ register: PartialRow.Register?, of column: Int) {
        guard let entity else { return partial[column] = register }
        if removed.isEmpty, register == nil { removed = Array(repeating: false, count: columns.count) }
        if !removed.isEmpty { removed[column] = register == nil }
        guard let register else { return changed[column] = nil }
        written?.setRegister(column, to: register.version, isHeld: entity.holds[column])
        changed[column] = register.value
    }

    /// The value has no version: the sum of a counter, or a default.
    mutating func show(_ value: PropertyValue, in column: Int) { changed[column] = value }

    /// A column that only one entity has, or with another default, shows the new default until it is written.
    mutating func convert(to new: EntityLayout, counterValue: (Int) throws -> PropertyValue) rethrows {
        guard let old = entity, let versions else { return }
        (written, changed, removed) = (versions, shown, [])
        for column in columns.indices {
            let number = versions.register(column, isHeld: old.holds[column])
            let isCounter = columns[column].mergeRule == .counter
            let isHeld = new.holds[column]
            written?.setRegister(column, to: isCounter && isHeld ? versions.base : number, isHeld: isHeld)
            let isAlike = old.holds[column] == isHeld && old.defaults[column] == new.defaults[column]
            guard columns[column].isRegister, !isAlike else { continue }
            if isCounter {
                changed[column] = try counterValue(column)
            } else if number == nil {
                changed[column] = new.defaults[column]
            }
        }
        entity = new
    }
}
