import TributaryChanges
import TributaryModel

/// Decides the target that a to-one column shows; the registers do not change.
///
/// A column shows the target of its register while the target is visible. In a one-to-one relationship only the
/// greatest ``OneToOneOwner`` shows the target, and the target's inverse column shows that owner.
final class ReferenceMerger {
    private let tables: MergeTables
    private let cursor: TransactionCursor
    private let effects: EffectLog
    private let conflicts: ConflictRecorder
    /// One-to-one targets; their owners are decided after the shadows.
    @exclusivity(unchecked) private var pending: Set<OwnedTarget> = []

    var pendingCount: Int { pending.count }

    private struct OwnedTarget: Hashable {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
    }

    init(_ tables: MergeTables, cursor: TransactionCursor, effects: EffectLog, conflicts: ConflictRecorder) {
        self.tables = tables
        self.cursor = cursor
        self.effects = effects
        self.conflicts = conflicts
    }

    private var layout: StoreModel { tables.layout }

    /// Shows a newly visible object in the columns that refer to it; costs one look at each referring object.
    func resolve(to table: Int, _ id: UniqueID, isPrepared: Bool = true) throws {
        guard !isPrepared || tables.references.mayHaveTarget(table, id) else { return }
        for column in tables.layout.incoming[table] {
            if case .reference(_, true, _) = tables.layout[column].kind {
                try decide(id, column)
                continue
            }
            for source in try tables.references.sources(of: id, column) {
                guard let row = try tables.objects.row(column.table, source) else { continue }
                try show(id, in: row, column)
                try tables.references.remove(source, column)
                try tables.keys.index(row, column.table)
            }
        }
    }

    /// Shows `representative` in place of an object that has disappeared; costs one look at each row that shows it.
    func unresolve(to table: Int, _ id: UniqueID, showing representative: UniqueID? = nil) throws {
        for column in tables.layout.incoming[table] {
            var isOneToOne = false
            if case .reference(_, true, _) = tables.layout[column].kind { isOneToOne = true }
            for row in try tables.objects.rows(showing: id, column) {
                let isHeld = try tables.references.target(of: row.id, column) == nil
                // If the register holds a shadow, the column changes when the shadow gets a new representative.
                guard isHeld || isOneToOne else { continue }
                try show(isOneToOne ? nil : representative, in: row, column)
                guard isHeld else { continue }
                try tables.references.insert(row.id, column, target: id)
                try tables.keys.index(row, column.table)
            }
        }
    }

    /// Leaves one-to-one columns to ``decide(_:_:incoming:)``; costs one look at each object that refers to the shadow.
    func show(_ representative: UniqueID?, for shadow: UniqueID, _ table: Int) throws {
        guard tables.references.hasRows else { return }
        for column in tables.layout.incoming[table] {
            if case .reference(_, true, _) = tables.layout[column].kind { continue }
            for source in try tables.references.sources(of: shadow, column) {
                guard let row = try tables.objects.row(column.table, source) else { continue }
                try show(representative, in: row, column)
            }
        }
    }

    private func show(_ target: UniqueID?, in row: VisibleRow, _ column: StoreModel.ColumnIndex) throws {
        let table = try tables.objects.table(column.table)
        try table.show(target, column: column.column, rowid: row.rowid, revision: cursor.revision)
        try effects.recordShown(row, column)
    }

    func reopen(_ target: UniqueID, _ column: StoreModel.ColumnIndex) {
        pending.insert(OwnedTarget(column: column, id: target))
    }

    /// The owner of a shadow also owns the object that is shown for the shadow.
    func reopen(ownersOf shown: UniqueID, _ table: Int) {
        for column in layout.incoming[table] {
            if case .reference(_, true, _) = layout[column].kind { reopen(shown, column) }
        }
    }

    func decidePending() throws {
        guard !pending.isEmpty else { return }
        let targets = pending.sorted { left, right in
            (left.column.table, left.column.column, left.id) < (right.column.table, right.column.column, right.id)
        }
        pending = []
        for target in targets { try decide(target.id, target.column) }
    }

    /// Decides which object owns a one-to-one target; costs one look at the best holder of it and of each shadow of it.
    ///
    /// With `incoming`, only that object's register has changed, so objects that lost before are not examined.
    func decide(_ target: UniqueID, _ column: StoreModel.ColumnIndex, incoming: UniqueID? = nil) throws {
        guard case .reference(let targetTable, true, let inverse) = layout[column].kind,
            let target = try tables.shown(targetTable, target)
        else { return }
        var shown: [VisibleRow] = []
        for row in try tables.objects.rows(showing: target, column) {
            // The register holds a shadow, which another object may represent now.
            if let held = try tables.references.target(of: row.id, column),
                try tables.shown(targetTable, held) != target
            {
                try show(nil, in: row, column)
            } else {
                shown.append(row)
            }
        }
        var candidates = shown
        if !shown.contains(where: { $0.id == incoming }) {
            // The holder of a shadow of the target is a candidate, too.
            for held in try [target] + tables.shadows.shadows(of: target, targetTable) {
                if let waiting = try greatestWaiting(held, column) { candidates.append(waiting) }
            }
        }
        let owner = try greatest(of: candidates, column)
        for row in shown where row.id != owner?.id {
            if let owner { try keepConflict(of: row, with: owner, target, column) }
            try show(nil, in: row, column)
            guard try tables.references.target(of: row.id, column) == nil else { continue }
            try tables.references.insert(row.id, column, target: target)
        }
        if let owner, !shown.contains(where: { $0.id == owner.id }) {
            try show(target, in: owner, column)
            if try tables.references.target(of: owner.id, column) == target {
                try tables.references.remove(owner.id, column)
            }
        }
        if let inverse {
            try showOwner(owner?.id, of: target, StoreModel.ColumnIndex(table: targetTable, column: inverse))
        }
    }

    func decide(around id: UniqueID, table: Int, _ written: [RegisterWrite]) throws {
        for (index, column) in layout.tables[table].columns.enumerated() {
            if case .inverseColumn(let source, let register) = column.kind {
                try decide(id, StoreModel.ColumnIndex(table: source, column: register))
            } else if case .reference(_, true, _) = column.kind {
                for write in written where write.column == index {
                    guard case .reference(let target) = write.value else { continue }
                    try decide(target, StoreModel.ColumnIndex(table: table, column: index), incoming: id)
                }
            }
        }
    }

    private func greatestWaiting(_ target: UniqueID, _ column: StoreModel.ColumnIndex) throws -> VisibleRow? {
        try tables.references.greatestOwner(of: target, column, versions: tables.versions) { id in
            try tables.objects.row(column.table, id)
        }
    }

    private func greatest(of rows: [VisibleRow], _ column: StoreModel.ColumnIndex) throws -> VisibleRow? {
        guard rows.count > 1 else { return rows.first }
        var greatest: (row: VisibleRow, owner: OneToOneOwner)?
        for row in rows {
            let owner = try row.owner(column, layout, tables.versions)
            if greatest.map({ $0.owner < owner }) ?? true { greatest = (row, owner) }
        }
        return greatest?.row
    }

    private func keepConflict(
        of row: VisibleRow,
        with owner: VisibleRow,
        _ target: UniqueID,
        _ column: StoreModel.ColumnIndex
    ) throws {
        guard
            let losing = row.versions.register(column.column, isHeld: layout.entities[row.entity].holds[column.column]),
            let winning = owner.versions.register(
                column.column,
                isHeld: layout.entities[owner.entity].holds[column.column]
            )
        else { return }
        let isArrivingLost = losing == cursor.revision
        guard isArrivingLost || winning == cursor.revision,
            try conflicts.isConflict(with: isArrivingLost ? winning : losing, isArrivingLost: isArrivingLost)
        else { return }
        try conflicts.keep {
            ConflictEntry(
                kind: .value,
                rule: .oneToOne,
                entity: layout.entities[row.entity].entity.name,
                id: row.id,
                property: layout[column].property,
                losing: losing,
                losingValue: .string(target.description),
                winning: winning,
                winningValue: .string(owner.id.description)
            )
        }
    }

    private func showOwner(_ owner: UniqueID?, of target: UniqueID, _ inverse: StoreModel.ColumnIndex) throws {
        guard let row = try tables.objects.row(inverse.table, target) else { return }
        let before = try tables.objects.table(inverse.table).value(inverse.column, rowid: row.rowid)
        guard before != owner.map(PropertyValue.reference) ?? .null else { return }
        try show(owner, in: row, inverse)
    }
}
