import GRDB
import TributaryChanges
import TributaryModel

/// Makes local changes explicit where only this store knows their effects, so that peers need not read their own state.
///
/// The changes are reduced to their outcome, with the deletions first, as the log demands it of each transaction.
///
/// The explicit effects are the owners that clearing the inverse side of a one-to-one relationship releases, the
/// amount by which an assignment changes a counter, and what is done to an object with shadows and holds for them too.
struct LocalChanges {
    let reader: Reader

    func explicit(_ changes: [Change]) throws -> [Change] {
        var result: [Change] = []
        result.reserveCapacity(changes.count)
        for change in try withShadows(whole(changes)) {
            guard case .update(let writes) = change.operation,
                let entity = reader.context.layout.entity(named: change.entity)
            else {
                result.append(change)
                continue
            }
            var kept: [PropertyWrite] = []
            var released: [Change] = []
            for write in writes {
                guard let propertyIndex = entity.entity.propertyIndex(named: write.name) else {
                    kept.append(write)
                    continue
                }
                switch entity.places[propertyIndex] {
                case .inverseColumn(let inverse, let table, let column) where write.value == .null:
                    let register = StoreModel.ColumnIndex(table: table, column: column)
                    if let other = try holder(of: change.id, entity: entity, inverse: inverse) {
                        released.append(release(other, register))
                    }
                case .column(let columnIndex) where isCounter(columnIndex, entity):
                    kept.append(
                        PropertyWrite(name: write.name, value: try increment(write, change, entity, columnIndex))
                    )
                default: kept.append(write)
                }
            }
            if !kept.isEmpty || released.isEmpty {
                result.append(Change(entity: change.entity, id: change.id, operation: .update(kept)))
            }
            result += released
        }
        result = outcome(of: result)
        try checkLines(result)
        return result
    }

    private func isCounter(_ columnIndex: Int, _ entity: EntityLayout) -> Bool {
        reader.context.layout.tables[entity.table].columns[columnIndex].mergeRule == .counter
    }

    private func holder(of id: UniqueID, entity: EntityLayout, inverse: Int) throws -> UniqueID? {
        if case .reference(let other) = try value(inverse, of: id, entity) { return other }
        return nil
    }

    private func release(_ other: UniqueID, _ register: StoreModel.ColumnIndex) -> Change {
        let layout = reader.context.layout
        let name = layout[register].property
        // Any entity of the table with the register is valid, because updates apply to the root entity.
        let owner = layout.entities.first { entity in
            entity.table == register.table && entity.places.contains(.column(register.column))
        }
        return Change(
            entity: owner?.entity.name ?? layout.tables[register.table].root.name,
            id: other,
            operation: .update([PropertyWrite(name: name, value: .null)])
        )
    }

    private func increment(_ write: PropertyWrite, _ change: Change, _ entity: EntityLayout, _ columnIndex: Int) throws
        -> JSONValue
    {
        let new: PropertyValue
        switch write.value {
        case .integer(let value): new = .integer(value)
        case .double(let value): new = .double(value)
        default: return write.value
        }
        let old = try value(columnIndex, of: change.id, entity)
        let amount = old.isNull ? new : CounterTotals.difference(new, old)
        return .object([JSONMember(key: "increment", value: amount.json)])
    }

    private func value(_ columnIndex: Int, of id: UniqueID, _ entity: EntityLayout) throws -> PropertyValue {
        let table = reader.context.layout.tables[entity.table]
        let column = table.columns[columnIndex]
        let statement = try BoundStatement(
            reader.database,
            "SELECT \(column.quotedName) FROM \(table.quotedName) WHERE _id = ?1"
        )
        statement.bind(1, id)
        return try statement.first { column.value(in: $0, at: 0) } ?? .null
    }
}
