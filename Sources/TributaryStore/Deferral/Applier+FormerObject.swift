import TributaryChanges
import TributaryModel

/// Objects of a sub-entity that the model does not have any more, while the root of its hierarchy is still there.
///
/// An object is the pair of its root entity and its identifier: its deletion is the root's, and what the root knows of it
/// waits there as for any object that is not visible. Its insertion is parked, and so is what only the sub-entity had.
extension Applier {
    func resolveFormerObject(_ change: Change, root: Int, index: Int, slice: inout ChangeSlice) throws {
        let entity = layout.entities[root]
        let position = slice.first + index
        let former = layout.lastName(ofEntity: change.entity)
        let reason = "there is no entity '\(change.entity)'"
        switch change.operation {
        case .delete: slice.operations.append(.init(table: entity.table, id: change.id, index: index, action: .delete))
        case .link(let name, let ids, _), .unlink(let name, let ids):
            var isLink = false
            if case .link(_, _, let positions) = change.operation {
                isLink = true
                if let positions, positions.count != ids.count {
                    return try park(change, position: position, reason: "positions and IDs differ in number")
                }
            }
            if layout.slot(named: name, of: entity.entity) == nil,
                try resolveFormerLink(change, entity: former, index: index, slice: &slice)
            {
                return
            }
            try resolveLink(to: name, ids: ids, isLink: isLink, entity: root, index: index, slice: &slice)
        case .insert(let values), .update(let values):
            var isInsert = false
            if case .insert = change.operation { isInsert = true }
            var known: [PropertyWrite] = []
            var rest: [PropertyWrite] = []
            for write in values {
                guard let place = place(of: write.name, in: entity) else {
                    rest.append(write)
                    continue
                }
                if let write = isInsert ? deferred(write, at: place, in: entity) : write { known.append(write) }
            }
            var kept = change
            kept.operation = isInsert ? .insert(rest) : .update(rest)
            kept = try resolveFormerValues(kept, entity: former, index: index, slice: &slice)
            if isInsert || kept.operation != .update([]) { try park(kept, position: position, reason: reason) }
            guard !known.isEmpty else { return }
            slice.changes[index] = Change(entity: entity.entity.name, id: change.id, operation: .update(known))
            let shape = shape(of: known, isInsert: false, entity: root)
            slice.operations.append(
                .init(table: entity.table, id: change.id, index: index, action: .write(shape: shape))
            )
            resolveMirrors(known, index: index, slice: &slice)
        }
    }

    /// Where the root has the property, when it is one that is written.
    private func place(of name: String, in root: EntityLayout) -> EntityLayout.Place? {
        guard let slot = layout.slot(named: name, of: root.entity) else { return nil }
        return switch root.places[slot] {
        case .column, .mirror: root.places[slot]
        case .inverse, .links, .none: nil
        }
    }

    /// The value of an insert as that of an update; nil when it says nothing.
    private func deferred(_ write: PropertyWrite, at place: EntityLayout.Place, in root: EntityLayout) -> PropertyWrite?
    {
        switch place {
        case .column(let column) where layout.tables[root.table].columns[column].mergeRule == .counter:
            if write.value == .null { return nil }
            if case .object = write.value { return write }
            let amount = JSONValue.object([JSONMember(key: "increment", value: write.value)])
            return PropertyWrite(name: write.name, value: amount)
        case .mirror: return write.value == .null ? nil : write
        case .column, .inverse, .links, .none: return write
        }
    }
}
