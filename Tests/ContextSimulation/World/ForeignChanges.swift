import TributaryChanges

/// The changes of a foreign writer's transaction, as a segment contains them: deletions first.
enum ForeignChanges {
    static func of(_ delta: OracleDelta) -> [Change] {
        var writes: [Int: [PropertyWrite]] = [:]
        for (cell, value) in delta.registers {
            writes[cell.object, default: []].append(PropertyWrite(name: name(cell), value: value.json))
        }
        for (cell, amount) in delta.amounts {
            let value = JSONValue.object([JSONMember(key: "increment", value: amount.json)])
            writes[cell.object, default: []].append(PropertyWrite(name: name(cell), value: value))
        }
        for object in delta.inserted where writes[object] == nil { writes[object] = [] }
        func change(_ object: Int, _ operation: Change.Operation) -> Change {
            let entity = ContextModel.entities[ContextModel.entity(of: object)].name
            return Change(entity: entity, id: ContextModel.id(object), operation: operation)
        }
        let deletions = delta.deleted.sorted().map { change($0, .delete) }
        let rows = writes.filter { !delta.deleted.contains($0.key) }.sorted { $0.key < $1.key }.map { object, writes in
            let sorted = writes.sorted { $0.name < $1.name }
            return change(object, delta.inserted.contains(object) ? .insert(sorted) : .update(sorted))
        }
        let live = delta.pairs.filter { !delta.deleted.contains($0.key.item) && !delta.deleted.contains($0.key.tag) }
        let pairs = live.sorted { ($0.key.item, $0.key.tag) < ($1.key.item, $1.key.tag) }.map { pair, isLinked in
            let ids = [ContextModel.id(pair.tag)]
            return change(
                pair.item,
                isLinked ? .link(to: "tags", ids: ids, positions: nil) : .unlink(to: "tags", ids: ids)
            )
        }
        return deletions + rows + pairs
    }

    private static func name(_ cell: Cell) -> String { ContextModel.properties(cell.object)[cell.property].name }
}
