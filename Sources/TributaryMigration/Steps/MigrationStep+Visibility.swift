import GRDB
import TributaryChanges
import TributaryModel
import TributaryStore

/// Updates registers that show their target by a new rule, because their relationship became one-to-one or ceased to
/// be.
extension MigrationStep {
    func decideVisibility(_ layout: StoreModel) throws {
        var columns: [StoreModel.ColumnIndex] = []
        for table in layout.tables {
            for column in table.columns.indices where needsDecision(table, column) {
                columns.append(StoreModel.ColumnIndex(table: table.index, column: column))
            }
        }
        let hidden = try hiddenObjects()
        guard !columns.isEmpty || !hidden.isEmpty else { return }
        let context = StoreContext(configuration: target.configuration, layout: layout)
        try UnloggedTransaction.run(db, context, decidesShadows: false) { transaction in
            for column in columns {
                guard case .reference(let target, let isOneToOne, _) = layout[column].kind else { continue }
                if isOneToOne {
                    for id in try targets(column, layout) { try transaction.decideOwner(of: id, in: column) }
                } else {
                    try show(column, target: layout.tables[target], layout)
                }
            }
            for object in hidden { try transaction.hide(object.id, table: object.table) }
        }
    }

    /// The objects of removed entities whose hierarchy still exists.
    private func hiddenObjects() throws -> [(table: Int, id: UniqueID)] {
        var found: [(table: Int, id: UniqueID)] = []
        for (index, entity) in before.entities.enumerated() where mapping.entities[index] == nil {
            let table = before.tables[entity.table]
            guard let heir = mapping.tables[table.index], !mapping.isKept[table.index], table.hasEntityColumn else {
                continue
            }
            let select = try BoundStatement(
                db,
                "SELECT _id FROM \(MigrationStep.former(table)) WHERE _entity = \(entity.code)"
            )
            try select.forEach { row in
                if let id = row.id(0) { found.append((heir, id)) }
            }
        }
        return found
    }

    private func needsDecision(_ table: TableLayout, _ columnIndex: Int) -> Bool {
        guard case .reference(_, let isOneToOne, let inverse) = table.columns[columnIndex].kind else { return false }
        for old in before.tables where mapping.tables[old.index] == table.index {
            guard let source = mapping.columns[old.index].firstIndex(of: columnIndex),
                case .reference(_, let wasOneToOne, let former) = old.columns[source].kind
            else { continue }
            if mapping.isKept[old.index] { return isOneToOne != wasOneToOne }
            if isOneToOne != wasOneToOne { return true }
            guard isOneToOne, let inverse else { return false }
            return !isInverseCarried(old, source, former, to: inverse)
        }
        return false
    }

    private func isInverseCarried(_ old: TableLayout, _ source: Int, _ former: Int?, to inverse: Int) -> Bool {
        guard let former, case .reference(let target, _, _) = old.columns[source].kind else { return false }
        return mapping.columns[target][former] == inverse
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
