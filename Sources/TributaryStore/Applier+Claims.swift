import TributaryChanges

extension Applier {
    /// Settles who has `target` in a one-to-one relationship: of the visible objects whose register holds it, the one
    /// with the greatest version, then the greatest ID.
    ///
    /// The others show nothing, the target's mirror shows the one. When a claim of the object `newcomer` has come and none
    /// has gone, those that show nothing have lost before to the one that shows the target: they are not looked at.
    func resolveClaims(on target: UniqueID, table: Int, place: Int, newcomer: UniqueID? = nil) throws {
        let column = StoreModel.ColumnPlace(table: table, place: place)
        guard case .reference(let targetTable, true, let mirror) = layout[column].kind,
            try isVisible(targetTable, target)
        else { return }
        let shown = try rows(showing: target, column)
        let isSettled = newcomer.map { id in shown.contains { $0.id == id } } ?? false
        let waiting = isSettled ? [] : try danglingSources(of: target, column).compactMap { try visibleRow(table, $0) }
        var winner: VisibleRow?
        for row in shown + waiting {
            if let best = winner, try !claim(of: row, beats: best, column) { continue }
            winner = row
        }
        for row in shown where row.id != winner?.id {
            try self.table(table).show(nil, place: place, rowid: row.rowid, revision: revision)
            try addDangling(table, row.id, place: place, target: target)
            try recordShown(row, column)
        }
        if let winner, waiting.contains(where: { $0.id == winner.id }) {
            try self.table(table).show(target, place: place, rowid: winner.rowid, revision: revision)
            try removeDangling(table, winner.id, place: place)
            try recordShown(winner, column)
        }
        if let mirror { try showMirror(winner?.id, of: target, table: targetTable, place: mirror) }
    }

    /// The target that a one-to-one register of a visible row shows; nil while another has the better claim.
    func shownClaim(of row: VisibleRow, table: Int, place: Int) throws -> UniqueID? {
        guard case .reference(_, true, _) = layout.tables[table].columns[place].kind,
            case .reference(let target) = try self.table(table).value(place, rowid: row.rowid)
        else { return nil }
        return target
    }

    private func claim(of row: VisibleRow, beats other: VisibleRow, _ column: StoreModel.ColumnPlace) throws -> Bool {
        func version(_ row: VisibleRow) -> Int64 {
            row.versions.register(column.place, isHeld: layout.entities[row.entity].holds[column.place]) ?? 0
        }
        let (first, second) = (version(row), version(other))
        if first == second { return other.id < row.id }
        return try stamps.isOlder(second, than: first)
    }

    private func showMirror(_ source: UniqueID?, of target: UniqueID, table: Int, place: Int) throws {
        guard let row = try visibleRow(table, target) else { return }
        let before = try self.table(table).value(place, rowid: row.rowid)
        guard before != source.map(PropertyValue.reference) ?? .null else { return }
        try self.table(table).show(source, place: place, rowid: row.rowid, revision: revision)
        try recordShown(row, StoreModel.ColumnPlace(table: table, place: place))
    }
}
