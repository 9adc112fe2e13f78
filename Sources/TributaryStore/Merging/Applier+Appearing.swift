import TributaryChanges
import TributaryModel

/// What coming and going of an object does to those that lead to it.
extension Applier {
    /// An object has become visible; of the references in `claims` the one-to-one ones are settled.
    func appear(_ table: Int, _ id: UniqueID, claims: [RegisterWrite]) throws {
        if isTarget[table] { visibility[table][id] = true }
        if hasDangling, danglingTargets[table].mayContain(id) { try fillReferences(to: table, id) }
        if hasClaims[table] { try settleClaims(table, id, claims) }
        if hasHiddenLinks { try showLinks(table, id) }
    }

    private func settleClaims(_ table: Int, _ id: UniqueID, _ claims: [RegisterWrite]) throws {
        for (place, column) in layout.tables[table].columns.enumerated() {
            if case .mirror(let source, let register) = column.kind {
                try resolveClaims(on: id, table: source, place: register)
            } else if case .reference(_, true, _) = column.kind {
                for claim in claims where claim.place == place {
                    guard case .reference(let target) = claim.value else { continue }
                    try resolveClaims(on: target, table: table, place: place, newcomer: id)
                }
            }
        }
    }

    /// An object is not visible any more; links up to the number are void.
    func disappear(_ table: Int, _ id: UniqueID, voidingUpTo number: Int64) throws {
        if isTarget[table] { visibility[table][id] = false }
        try hideReferences(to: table, id)
        try hideLinks(table, id, voidingUpTo: number, keepsNewer: false)
    }

    /// An object that the slice counted as visible stays hidden.
    func breakPromise(_ table: Int, _ id: UniqueID) throws {
        guard visibility[table][id] == true else { return }
        visibility[table][id] = false
        try hideReferences(to: table, id)
        try hideLinks(table, id, voidingUpTo: nil, keepsNewer: false)
    }

    // MARK: References

    /// What a to-one register of a visible row holds, shown or not.
    func reference(of row: VisibleRow, table: Int, place: Int) throws -> UniqueID? {
        if case .reference(let shown) = try self.table(table).value(place, rowid: row.rowid) { return shown }
        guard hasDangling else { return nil }
        let statement = try BoundStatement(
            db,
            "SELECT target FROM tributary_reference WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, row.id)
        statement.bind(3, Int64(place))
        return try statement.first { $0.id(0) } ?? nil
    }

    func addDangling(_ table: Int, _ id: UniqueID, place: Int, target: UniqueID) throws {
        guard case .reference(let targetTable, _, _) = layout.tables[table].columns[place].kind else { return }
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO tributary_reference(root, id, place, target_root, target)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """
        )
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        statement.bind(3, Int64(place))
        statement.bind(4, layout.tables[targetTable].code)
        statement.bind(5, target)
        try statement.run()
        hasDangling = true
        danglingTargets[targetTable].insert(target)
    }

    func removeDangling(_ table: Int, _ id: UniqueID, place: Int) throws {
        guard hasDangling else { return }
        let statement = try BoundStatement(
            db,
            "DELETE FROM tributary_reference WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        statement.bind(3, Int64(place))
        try statement.run()
    }

    func removeAllDangling(_ table: Int, _ id: UniqueID) throws {
        guard hasDangling else { return }
        let statement = try BoundStatement(db, "DELETE FROM tributary_reference WHERE root = ?1 AND id = ?2")
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        try statement.run()
    }

    /// Columns that show the object show nothing; their registers stay.
    private func hideReferences(to table: Int, _ id: UniqueID) throws {
        for incoming in layout.incoming[table] {
            for row in try rows(showing: id, incoming) {
                try self.table(incoming.table).show(nil, place: incoming.place, rowid: row.rowid, revision: revision)
                try addDangling(incoming.table, row.id, place: incoming.place, target: id)
                try recordShown(row, incoming)
            }
        }
    }

    /// Registers that hold the object show it again.
    private func fillReferences(to table: Int, _ id: UniqueID) throws {
        for incoming in layout.incoming[table] {
            if case .reference(_, true, _) = layout[incoming].kind {
                try resolveClaims(on: id, table: incoming.table, place: incoming.place)
                continue
            }
            for source in try danglingSources(of: id, incoming) {
                guard let row = try visibleRow(incoming.table, source) else { continue }
                try self.table(incoming.table).show(id, place: incoming.place, rowid: row.rowid, revision: revision)
                try removeDangling(incoming.table, source, place: incoming.place)
                try recordShown(row, incoming)
            }
        }
    }

    func rows(showing id: UniqueID, _ column: StoreModel.ColumnPlace) throws -> [VisibleRow] {
        let table = layout.tables[column.table]
        let statement = try BoundStatement(
            db,
            """
            SELECT \(TableStatements.head(table)) FROM \(table.quotedName)
            WHERE \(table.columns[column.place].quotedName) = ?1
            """
        )
        statement.bind(1, id)
        var found: [VisibleRow] = []
        try statement.forEach { found.append(VisibleRow($0, layout: layout)) }
        return found
    }

    func danglingSources(of id: UniqueID, _ column: StoreModel.ColumnPlace) throws -> [UniqueID] {
        guard hasDangling, case .reference(let target, _, _) = layout[column].kind else { return [] }
        let statement = try BoundStatement(
            db,
            """
            SELECT id FROM tributary_reference
            WHERE target_root = ?1 AND target = ?2 AND root = ?3 AND place = ?4
            """
        )
        statement.bind(1, layout.tables[target].code)
        statement.bind(2, id)
        statement.bind(3, layout.tables[column.table].code)
        statement.bind(4, Int64(column.place))
        var found: [UniqueID] = []
        try statement.forEach { row in if let id = row.id(0) { found.append(id) } }
        return found
    }

    func recordShown(_ row: VisibleRow, _ column: StoreModel.ColumnPlace) throws {
        try record(.update, column.table, row.id, entity: row.entity, properties: [layout[column].property])
    }
}
