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
    func resolve(to table: Int, _ id: UniqueID) throws {
        guard tables.references.mayHaveTarget(table, id) else { return }
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

    /// Clears the columns that show an object that is not visible any more.
    ///
    /// The cost is one look at each object that shows it.
    func unresolve(to table: Int, _ id: UniqueID) throws {
        for column in tables.layout.incoming[table] {
            for row in try tables.objects.rows(showing: id, column) {
                try show(nil, in: row, column)
                try tables.references.insert(row.id, column, target: id)
            }
        }
    }

    private func show(_ target: UniqueID?, in row: VisibleRow, _ column: StoreModel.ColumnIndex) throws {
        let table = try tables.objects.table(column.table)
        try table.show(target, column: column.column, rowid: row.rowid, revision: cursor.revision)
        try effects.recordShown(row, column)
    }
}
