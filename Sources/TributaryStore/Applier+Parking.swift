import TributaryChanges
import TributaryModel

/// What the model cannot represent is kept as it was written, and tried again when the model has grown.
extension Applier {
    /// Parks a whole change.
    func park(_ change: Change, position: Int, reason: String) throws {
        try park(change, position: position, part: -1, reason: reason)
    }

    /// Parks one value of an insert or update; `part` is its place in the change, -1 for the whole change.
    func park(_ change: Change, position: Int, part: Int, reason: String) throws {
        guard !isStrict else { throw StoreError.invalidChange(index: position, reason: reason) }
        parkedCount += 1
        switch change.operation {
        case .link(_, let ids, _), .unlink(_, let ids): parkedTargets.formUnion(ids)
        case .insert, .update, .delete: break
        }
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO
            tributary_parked(entity, id, version, position, part, operation, property, value, reason, void)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        )
        let (operation, property, value) = parts(of: change, part)
        statement.bind(1, change.entity)
        statement.bind(2, change.id)
        statement.bind(3, number)
        statement.bind(4, Int64(position))
        statement.bind(5, Int64(part))
        statement.bind(6, operation)
        statement.bind(7, property)
        // The members of a whole change keep their order: it numbers its parts.
        statement.bind(8, value.map { part < 0 ? $0.text : String(decoding: $0.canonicalBytes, as: UTF8.self) })
        statement.bind(9, reason)
        statement.bind(10, parkedVoid)
        try statement.run()
    }

    private func parts(of change: Change, _ part: Int) -> (operation: String, property: String?, value: JSONValue?) {
        func values(_ writes: [PropertyWrite]) -> (String?, JSONValue?) {
            if part >= 0 { return (writes[part - firstPart].name, writes[part - firstPart].value) }
            return (nil, .object(writes.map { JSONMember(key: $0.name, value: $0.value) }))
        }
        func list(_ ids: [UniqueID]) -> JSONValue { .array(ids.map { .string($0.description) }) }
        switch change.operation {
        case .insert(let writes):
            let (name, value) = values(writes)
            return ("insert", name, value)
        case .update(let writes):
            let (name, value) = values(writes)
            return ("update", name, value)
        case .delete: return ("delete", nil, nil)
        case .link(let name, let ids, let positions):
            var members = [JSONMember(key: "ids", value: list(ids))]
            if let positions {
                members.append(JSONMember(key: "positions", value: .array(positions.map { .string($0) })))
            }
            return ("link", name, .object(members))
        case .unlink(let name, let ids):
            return ("unlink", name, .object([JSONMember(key: "ids", value: list(ids))]))
        }
    }
}

extension Applier {
    /// Applies one value of a change the rest of which has been applied; parks it again when it still does not fit.
    func applyPart(_ change: Change) throws {
        var slice = ChangeSlice(changes: [change], first: changeCount)
        try resolve(&slice)
        for operation in slice.operations {
            guard case .write(let shape) = operation.action else {
                try perform(operation, slice)
                continue
            }
            switch change.operation {
            case .insert(let values), .update(let values):
                try convert(values, of: operation.index, in: slice, shape: shape)
                if !writes.isEmpty { try update(operation.table, operation.id, shape: nil) }
            case .delete, .link, .unlink: break
            }
        }
    }
}

extension Applier {
    /// What was parked of an object before its deletion in the same transaction is void, and so are links to it.
    ///
    /// The versions alone do not tell: they are the same for the whole transaction.
    func voidParked(_ table: Int, _ id: UniqueID, before position: Int) throws {
        let select = try BoundStatement(
            db,
            "SELECT entity, position, part FROM tributary_parked WHERE version = ?1 AND id = ?2 AND position < ?3"
        )
        select.bind(1, number)
        select.bind(2, id)
        select.bind(3, Int64(position))
        var own: [(entity: String, position: Int64, part: Int64)] = []
        try select.forEach { row in
            let entity = row.text(0)
            guard let known = layout.entityIndex(named: entity) ?? layout.survivingRoot(ofEntity: entity),
                layout.entities[known].table == table
            else { return }
            own.append((entity, row.integer(1), row.integer(2)))
        }
        for row in own { try setVoid("*", row.entity, id, row.position, row.part) }
        guard parkedTargets.contains(id) else { return }
        let links = try BoundStatement(
            db,
            """
            SELECT entity, id, position, part, void FROM tributary_parked
            WHERE version = ?1 AND position < ?2 AND operation IN ('link', 'unlink') AND void IS NOT '*'
                AND instr(value, ?3) > 0
            """
        )
        links.bind(1, number)
        links.bind(2, Int64(position))
        links.bind(3, id.description)
        var others: [(entity: String, id: UniqueID, position: Int64, part: Int64, void: String)] = []
        try links.forEach { row in
            guard let source = row.id(1) else { return }
            others.append((row.text(0), source, row.integer(2), row.integer(3), row.text(4)))
        }
        for row in others {
            try setVoid("\(row.void) \(id)", row.entity, row.id, row.position, row.part)
        }
    }

    private func setVoid(_ void: String, _ entity: String, _ id: UniqueID, _ position: Int64, _ part: Int64) throws {
        let update = try BoundStatement(
            db,
            """
            UPDATE tributary_parked SET void = ?1
            WHERE entity = ?2 AND id = ?3 AND version = ?4 AND position = ?5 AND part = ?6
            """
        )
        update.bind(1, void)
        update.bind(2, entity)
        update.bind(3, id)
        update.bind(4, number)
        update.bind(5, position)
        update.bind(6, part)
        try update.run()
    }
}
