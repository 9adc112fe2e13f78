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
        var candidates = shown
        if !shown.contains(where: { $0.id == newcomer }),
            let waiting = try WaitingOwners(applier: self, column: column, target: target).greatest()
        {
            candidates.append(waiting)
        }
        let winner = try greatest(of: candidates, column)
        for row in shown where row.id != winner?.id {
            try self.table(table).show(nil, place: place, rowid: row.rowid, revision: revision)
            try addDangling(table, row.id, place: place, target: target)
            try recordShown(row, column)
        }
        if let winner, !shown.contains(where: { $0.id == winner.id }) {
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

    private func greatest(of rows: [VisibleRow], _ column: StoreModel.ColumnPlace) throws -> VisibleRow? {
        guard rows.count > 1 else { return rows.first }
        var best: (row: VisibleRow, rank: OwnerRank)?
        for row in rows {
            let rank = try WaitingOwners.rank(of: row, column, in: self)
            if best.map({ $0.rank < rank }) ?? true { best = (row, rank) }
        }
        return best?.row
    }

    private func showMirror(_ source: UniqueID?, of target: UniqueID, table: Int, place: Int) throws {
        guard let row = try visibleRow(table, target) else { return }
        let before = try self.table(table).value(place, rowid: row.rowid)
        guard before != source.map(PropertyValue.reference) ?? .null else { return }
        try self.table(table).show(source, place: place, rowid: row.rowid, revision: revision)
        try recordShown(row, StoreModel.ColumnPlace(table: table, place: place))
    }
}
