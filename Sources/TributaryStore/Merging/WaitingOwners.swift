import TributaryChanges

/// The visible objects whose one-to-one register holds a target that shows another owner, or that was not visible.
///
/// Their rows in `tributary_reference` get a rank when the best of several is first asked for, and keep it as long as
/// the register keeps its value; an index has them in this order. A row without a rank was written since then, or by a
/// program that knew no ranks.
struct WaitingOwners {
    let applier: Applier
    let column: StoreModel.ColumnPlace
    let target: UniqueID

    /// Rows that get their rank between two looks at the table.
    private static let batch = 1_000

    private static let ofTarget = """
        SELECT id FROM tributary_reference WHERE target_root = ?1 AND target = ?2 AND root = ?3 AND place = ?4
        """

    /// The owner with the greatest rank; nil when nobody waits for the target.
    func greatest() throws -> VisibleRow? {
        guard applier.hasDangling else { return nil }
        let two = try ids("ORDER BY rank, id LIMIT 2")
        if two.count < 2 { return try two.first.flatMap { try applier.visibleRow(column.table, $0) } }
        try rankAll()
        while let id = try ids("ORDER BY rank DESC, id DESC LIMIT 1").first {
            if let row = try applier.visibleRow(column.table, id) { return row }
            // The reference of an object that is not visible is kept elsewhere: this row is a damage.
            try applier.removeDangling(column.table, id, place: column.place)
        }
        return nil
    }

    /// The rank of an object by what its register holds.
    static func rank(of row: VisibleRow, _ column: StoreModel.ColumnPlace, in applier: Applier) throws -> OwnerRank {
        let holds = applier.layout.entities[row.entity].holds[column.place]
        let number = row.versions.register(column.place, isHeld: holds)
        return OwnerRank(version: try number.map(applier.stamps.version) ?? .none, id: row.id)
    }

    private func rankAll() throws {
        let update = try BoundStatement(
            applier.db,
            "UPDATE tributary_reference SET rank = ?4 WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        update.bind(1, applier.layout.tables[column.table].code)
        update.bind(3, Int64(column.place))
        while true {
            let unranked = try ids("AND rank IS NULL LIMIT \(WaitingOwners.batch)")
            if unranked.isEmpty { return }
            for id in unranked {
                guard let row = try applier.visibleRow(column.table, id) else {
                    try applier.removeDangling(column.table, id, place: column.place)
                    continue
                }
                let rank = try WaitingOwners.rank(of: row, column, in: applier)
                update.bind(2, id)
                update.bind(4, OwnerRank.bytes(of: rank.version))
                try update.run()
            }
        }
    }

    private func ids(_ rest: String) throws -> [UniqueID] {
        guard case .reference(let targetTable, _, _) = applier.layout[column].kind else { return [] }
        let statement = try BoundStatement(applier.db, "\(WaitingOwners.ofTarget) \(rest)")
        statement.bind(1, applier.layout.tables[targetTable].code)
        statement.bind(2, target)
        statement.bind(3, applier.layout.tables[column.table].code)
        statement.bind(4, Int64(column.place))
        var found: [UniqueID] = []
        try statement.forEach { row in if let id = row.id(0) { found.append(id) } }
        return found
    }
}
