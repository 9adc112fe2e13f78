import GRDB
import TributaryChanges
import TributaryModel

/// Registers that show their target by another rule than before: as one of a one-to-one relationship, or not any more.
extension MigrationLeg {
    func settle(_ layout: StoreModel) throws {
        var columns: [StoreModel.ColumnIndex] = []
        for table in layout.tables {
            for column in table.columns.indices where needsSettling(table, column) {
                columns.append(StoreModel.ColumnIndex(table: table.index, column: column))
            }
        }
        let gone = try gone()
        guard !columns.isEmpty || !gone.isEmpty else { return }
        let replay = DeferredReplay(db: db, layout: layout, configuration: configuration)
        try replay.transaction(MergeEngine(db, layout: layout, blobs: nil)) { engine in
            for column in columns {
                guard case .reference(let target, let isOneToOne, _) = layout[column].kind else { continue }
                if isOneToOne {
                    for id in try targets(column, layout) { try engine.objects.owners.decide(id, column) }
                } else {
                    try show(column, target: layout.tables[target], layout)
                }
            }
            for object in gone { try hide(object, engine, layout) }
        }
    }

    /// Objects whose entity has gone from a hierarchy that is still there.
    private func gone() throws -> [ChangeSlice.Object] {
        var found: [ChangeSlice.Object] = []
        for (index, entity) in before.entities.enumerated() where routes.entities[index] == nil {
            let table = before.tables[entity.table]
            guard let heir = routes.tables[table.index], !routes.isKept[table.index], table.hasEntityColumn else {
                continue
            }
            let select = try BoundStatement(
                db,
                "SELECT _id FROM \(MigrationLeg.former(table)) WHERE _entity = \(entity.code)"
            )
            try select.forEach { row in
                if let id = row.id(0) { found.append(ChangeSlice.Object(table: heir, id: id)) }
            }
        }
        return found
    }

    /// What leads to an object that is not visible any more shows nothing, and another object may have its partner.
    private func hide(_ object: ChangeSlice.Object, _ engine: MergeEngine, _ layout: StoreModel) throws {
        engine.tables.visibility.set(object.table, object.id, isVisible: true)
        try engine.objects.withdraw(object.table, object.id)
        guard let partial = try engine.tables.partialRows.row(object.table, object.id) else { return }
        for (column, register) in partial.registers {
            let index = StoreModel.ColumnIndex(table: object.table, column: column)
            guard case .reference(_, true, _) = layout[index].kind, case .reference(let target) = register.value
            else { continue }
            try engine.objects.owners.decide(target, index)
        }
    }

    private func needsSettling(_ table: TableLayout, _ place: Int) -> Bool {
        guard case .reference(_, let claims, let mirror) = table.columns[place].kind else { return false }
        for old in before.tables where routes.tables[old.index] == table.index {
            guard let source = routes.columns[old.index].firstIndex(of: place),
                case .reference(_, let claimed, let former) = old.columns[source].kind
            else { continue }
            if routes.isKept[old.index] { return claims != claimed }
            if claims != claimed { return true }
            guard claims, let mirror else { return false }
            return !isMirrorCarried(old, source, former, to: mirror)
        }
        return false
    }

    private func isMirrorCarried(_ old: TableLayout, _ source: Int, _ former: Int?, to mirror: Int) -> Bool {
        guard let former, case .reference(let target, _, _) = old.columns[source].kind else { return false }
        return routes.columns[target][former] == mirror
    }

    /// The objects that registers of a column hold, visible or not.
    private func targets(_ index: StoreModel.ColumnIndex, _ layout: StoreModel) throws -> [UniqueID] {
        let table = layout.tables[index.table]
        let column = layout[index].quotedName
        let select = try BoundStatement(
            db,
            """
            SELECT \(column) FROM \(table.quotedName) WHERE \(column) IS NOT NULL
            UNION SELECT target FROM tributary_reference WHERE root = ?1 AND place = ?2
            """
        )
        select.bind(1, table.code)
        select.bind(2, Int64(index.column))
        var found: [UniqueID] = []
        try select.forEach { row in if let id = row.id(0) { found.append(id) } }
        return found
    }

    private func show(_ index: StoreModel.ColumnIndex, target: TableLayout, _ layout: StoreModel) throws {
        let table = layout.tables[index.table]
        let held = """
            FROM tributary_reference r WHERE r.root = \(table.code) AND r.place = \(index.column)
            AND r.target IN (SELECT _id FROM \(target.quotedName))
            """
        let column = layout[index].quotedName
        try db.execute(
            sql: """
                UPDATE \(table.quotedName) SET \(column) = (SELECT r.target \(held) AND r.id = \(table.quotedName)._id)
                WHERE _id IN (SELECT r.id \(held));
                DELETE FROM tributary_reference WHERE root = \(table.code) AND place = \(index.column)
                AND id IN (SELECT _id FROM \(table.quotedName) WHERE \(column) IS NOT NULL);
                """
        )
    }
}
