import TributaryChanges
import TributaryModel

/// The shortest way for the bulk of an import: new objects whose values are plain attributes.
extension Applier {
    /// Inserts the object without making anything of its values first.
    ///
    /// - Returns: false when the insert has to take the long way: nothing has been written then.
    func insertDirectly(_ operation: ChangeSlice.Operation, shape: Int, _ slice: ChangeSlice) throws -> Bool {
        let form = shapes[shape]
        let (table, id) = (operation.table, operation.id)
        guard form.isDirect, number == revision, !hasHiddenObjects || !hiddenObjects[table].mayContain(id),
            case .insert(let values) = slice.changes[operation.index].operation
        else { return false }
        let statements = try self.table(table)
        let statement = statements.insert
        if statements.directHead?.shape != shape || statements.directHead?.number != number {
            bindHead(statement, table, form)
            statements.directHead = (shape, number)
        }
        statement.bind(1, id)
        let fits = values.withUnsafeBufferPointer { values in
            form.directTargets.withUnsafeBufferPointer { targets in
                for index in targets.indices {
                    guard statement.bind(targets[index].index, values[index].value, as: targets[index].type) else {
                        return false
                    }
                }
                return true
            }
        }
        guard fits else { return false }
        try statement.run()
        guard statement.changedRows > 0 else { return false }
        try appear(table, id, claims: [])
        try record(.insert, table, id, entity: form.entity, key: try historyKey(of: shape))
        return true
    }

    /// Binds what all inserts of one shape in one transaction share.
    private func bindHead(_ statement: BoundStatement, _ table: Int, _ form: ChangeShape) {
        let entity = layout.entities[form.entity]
        statement.bind(2, number)
        statement.bindNull(3)
        statement.bind(4, form.exceptions)
        statement.bind(5, entity.code)
        for (place, column) in layout.tables[table].columns.enumerated() {
            let value = entity.holds[place] ? column.defaultValue : .null
            statement.bind(TableStatements.firstColumn + Int32(place), value)
        }
    }
}
