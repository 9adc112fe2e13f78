import GRDB
import TributaryChanges
import TributaryModel

/// Registers that show their target by another rule than before: as one of a one-to-one relationship, or not any more.
extension MigrationLeg {
    func settle(_ layout: StoreModel) throws {
        var places: [StoreModel.ColumnPlace] = []
        for table in layout.tables {
            for place in table.columns.indices where needsSettling(table, place) {
                places.append(StoreModel.ColumnPlace(table: table.index, place: place))
            }
        }
        let gone = try gone()
        guard !places.isEmpty || !gone.isEmpty else { return }
        let parked = ParkedWrites(db: db, layout: layout, configuration: configuration)
        let applier = try Applier(db, layout: layout)
        let number = try parked.beginTransaction()
        applier.begin(number: number.number, version: number.version, writer: 1, isStrict: false)
        for place in places {
            guard case .reference(let target, let claims, _) = layout[place].kind else { continue }
            if claims {
                for id in try targets(place, layout) {
                    try applier.resolveClaims(on: id, table: place.table, place: place.place)
                }
            } else {
                try show(place, target: layout.tables[target], layout)
            }
        }
        for object in gone { try hide(object, applier, layout) }
        try applier.end()
        try parked.endTransaction(applier, number.number)
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
    private func hide(_ object: ChangeSlice.Object, _ applier: Applier, _ layout: StoreModel) throws {
        applier.visibility[object.table][object.id] = true
        try applier.breakPromise(object.table, object.id)
        guard let hidden = try applier.hiddenObject(object.table, object.id) else { return }
        for (place, register) in hidden.registers {
            guard case .reference(_, true, _) = layout.tables[object.table].columns[place].kind,
                case .reference(let target) = register.value
            else { continue }
            try applier.resolveClaims(on: target, table: object.table, place: place)
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

    /// Visible or not, what a register of the column holds.
    private func targets(_ place: StoreModel.ColumnPlace, _ layout: StoreModel) throws -> [UniqueID] {
        let table = layout.tables[place.table]
        let column = layout[place].quotedName
        let select = try BoundStatement(
            db,
            """
            SELECT \(column) FROM \(table.quotedName) WHERE \(column) IS NOT NULL
            UNION SELECT target FROM tributary_reference WHERE root = ?1 AND place = ?2
            """
        )
        select.bind(1, table.code)
        select.bind(2, Int64(place.place))
        var found: [UniqueID] = []
        try select.forEach { row in if let id = row.id(0) { found.append(id) } }
        return found
    }

    private func show(_ place: StoreModel.ColumnPlace, target: TableLayout, _ layout: StoreModel) throws {
        let table = layout.tables[place.table]
        let held = """
            FROM tributary_reference r WHERE r.root = \(table.code) AND r.place = \(place.place)
            AND r.target IN (SELECT _id FROM \(target.quotedName))
            """
        let column = layout[place].quotedName
        try db.execute(
            sql: """
                UPDATE \(table.quotedName) SET \(column) = (SELECT r.target \(held) AND r.id = \(table.quotedName)._id)
                WHERE _id IN (SELECT r.id \(held));
                DELETE FROM tributary_reference WHERE root = \(table.code) AND place = \(place.place)
                AND id IN (SELECT _id FROM \(table.quotedName) WHERE \(column) IS NOT NULL);
                """
        )
    }
}
