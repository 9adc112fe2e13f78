import TributaryChanges

/// Keeps the targets that to-one columns show in step with the visibility of the targets.
///
/// The registers themselves do not change.
struct ReferenceMerger {
    private let tables: MergeTables
    private let cursor: TransactionCursor
    private let effects: EffectLog
    private let owners: OwnerMerger

    init(_ tables: MergeTables, cursor: TransactionCursor, effects: EffectLog, owners: OwnerMerger) {
        self.tables = tables
        self.cursor = cursor
        self.effects = effects
        self.owners = owners
    }

    /// Shows an object that has become visible in the columns whose register holds it.
    ///
    /// The cost is one look at each object that refers to it, and none when no reference waits for it.
    func resolve(to table: Int, _ id: UniqueID, isPrepared: Bool = true) throws {
        guard !isPrepared || tables.references.mayHaveTarget(table, id) else { return }
        for column in tables.layout.incoming[table] {
            if case .reference(_, true, _) = tables.layout[column].kind {
                try owners.decide(id, column)
                continue
            }
            for source in try tables.references.sources(of: id, column) {
                guard let row = try tables.objects.row(column.table, source) else { continue }
                try show(id, in: row, column)
                try tables.references.remove(source, column)
            }
        }
    }

    /// Clears the columns that show an object that is not visible any more, or lets them show its representative.
    ///
    /// The cost is one look at each object that shows it.
    func unresolve(to table: Int, _ id: UniqueID, showing representative: UniqueID? = nil) throws {
        for column in tables.layout.incoming[table] {
            var isOneToOne = false
            if case .reference(_, true, _) = tables.layout[column].kind { isOneToOne = true }
            for row in try tables.objects.rows(showing: id, column) {
                let isHeld = try tables.references.target(of: row.id, column) == nil
                // A column that holds a shadow of the object changes when the shadow gets another representative.
                guard isHeld || isOneToOne else { continue }
                try show(isOneToOne ? nil : representative, in: row, column)
                if isHeld { try tables.references.insert(row.id, column, target: id) }
            }
        }
    }

    /// Shows another object in the columns whose register holds a shadow; ``OwnerMerger`` decides the one-to-one ones.
    ///
    /// The cost is one look at each object that refers to the shadow.
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
}
