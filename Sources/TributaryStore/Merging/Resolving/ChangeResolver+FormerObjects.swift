import TributaryChanges
import TributaryModel

/// Resolves changes of objects whose sub-entity was removed from the model, while the root of its hierarchy remains.
///
/// An object is identified by its root entity and its identifier: its deletion is a deletion of the root entity, and
/// values of the root's properties are merged into a partial row, as for any object that is not visible. Its insert is
/// deferred, and so are the values of properties that only the sub-entity had.
extension ChangeResolver {
    func resolveFormerObject(_ change: Change, root: Int, index: Int, slice: inout ChangeSlice) throws {
        let entity = layout.entities[root]
        switch change.operation {
        case .delete: slice.operations.append(.init(table: entity.table, id: change.id, index: index, action: .delete))
        case .link(let name, let ids, let positions):
            if let positions, positions.count != ids.count {
                let reason = "positions and IDs differ in number"
                return try deferral.deferChange(change, at: slice.first + index, reason: reason)
            }
            try resolveFormerObjectLink(change, to: name, ids, isLink: true, root: root, index: index, slice: &slice)
        case .unlink(let name, let ids):
            try resolveFormerObjectLink(change, to: name, ids, isLink: false, root: root, index: index, slice: &slice)
        case .insert(let values): try resolveValues(values, of: change, true, root: root, index: index, slice: &slice)
        case .update(let values): try resolveValues(values, of: change, false, root: root, index: index, slice: &slice)
        }
    }

    private func resolveFormerObjectLink(
        _ change: Change,
        to name: String,
        _ ids: [UniqueID],
        isLink: Bool,
        root: Int,
        index: Int,
        slice: inout ChangeSlice
    ) throws {
        let entity = layout.lastName(ofEntity: change.entity)
        if layout.propertyIndex(named: name, of: layout.entities[root].entity) == nil,
            try former.resolveLink(change, entity: entity, index: index, slice: &slice)
        {
            return
        }
        try resolveLink(to: name, ids: ids, isLink: isLink, entity: root, index: index, slice: &slice)
    }

    private func resolveValues(
        _ values: [PropertyWrite],
        of change: Change,
        _ isInsert: Bool,
        root: Int,
        index: Int,
        slice: inout ChangeSlice
    ) throws {
        let entity = layout.entities[root]
        var known: [PropertyWrite] = []
        var rest: [PropertyWrite] = []
        for write in values {
            guard let place = writtenPlace(of: write.name, in: entity) else {
                rest.append(write)
                continue
            }
            if let write = isInsert ? update(write, at: place, in: entity) : write { known.append(write) }
        }
        var deferred = change
        deferred.operation = isInsert ? .insert(rest) : .update(rest)
        let former = layout.lastName(ofEntity: change.entity)
        deferred = try self.former.resolveValues(deferred, entity: former, index: index, slice: &slice)
        if isInsert || deferred.operation != .update([]) {
            let reason = "there is no entity '\(change.entity)'"
            try deferral.deferChange(deferred, at: slice.first + index, reason: reason)
        }
        guard !known.isEmpty else { return }
        slice.changes[index] = Change(entity: entity.entity.name, id: change.id, operation: .update(known))
        appendWrite(slice.changes[index], entity: root, index: index, slice: &slice)
    }

    /// The storage of the root's property of this name, when the property can be written.
    private func writtenPlace(of name: String, in root: EntityLayout) -> EntityLayout.Place? {
        guard let index = layout.propertyIndex(named: name, of: root.entity) else { return nil }
        return switch root.places[index] {
        case .column, .inverseColumn: root.places[index]
        case .inverse, .links, .none: nil
        }
    }

    /// Converts a value of an insert to a value of an update; nil when it has no effect in an update.
    private func update(_ write: PropertyWrite, at place: EntityLayout.Place, in root: EntityLayout) -> PropertyWrite? {
        switch place {
        case .column(let column) where layout.tables[root.table].columns[column].mergeRule == .counter:
            if write.value == .null { return nil }
            if case .object = write.value { return write }
            let amount = JSONValue.object([JSONMember(key: "increment", value: write.value)])
            return PropertyWrite(name: write.name, value: amount)
        case .inverseColumn: return write.value == .null ? nil : write
        case .column, .inverse, .links, .none: return write
        }
    }
}
