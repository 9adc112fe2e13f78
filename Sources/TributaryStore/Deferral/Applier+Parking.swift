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
        keepIndexes()
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO
            tributary_parked(entity, id, version, position, part, operation, property, value, reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        let (operation, property, value) = parts(of: change, part)
        statement.bind(1, change.entity)
        statement.bind(2, change.id)
        statement.bind(3, VersionNumber.number(number, atLeast: position))
        statement.bind(4, Int64(position))
        statement.bind(5, Int64(part))
        statement.bind(6, operation)
        statement.bind(7, property)
        // The members of a whole change keep their order: it numbers its parts.
        statement.bind(8, value.map { part < 0 ? $0.text : String(decoding: $0.canonicalBytes, as: UTF8.self) })
        statement.bind(9, reason)
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
