import TributaryChanges
import TributaryModel

extension LocalChanges {
    /// The changes of a transaction as they are logged: its deletions first, and nothing that a later one takes away.
    ///
    /// Increments, greatest and least values of an object that was there before stay: no deletion supersedes them.
    func outcome(of changes: [Change]) -> [Change] {
        let start = changes.firstIndex { $0.operation != .delete } ?? changes.endIndex
        var lastDeletion: [ChangeSlice.Object: Int] = [:]
        for index in start..<changes.endIndex where changes[index].operation == .delete {
            if let object = object(of: changes[index]) { lastDeletion[object] = index }
        }
        guard !lastDeletion.isEmpty else { return changes }
        var deletions: [Change] = []
        var others: [Change] = []
        var deleted: Set<ChangeSlice.Object> = []
        var inserted: Set<ChangeSlice.Object> = []
        for (index, change) in changes.enumerated() {
            let object = object(of: change)
            func isDeleted(_ other: ChangeSlice.Object?) -> Bool { other.flatMap { lastDeletion[$0] } ?? -1 > index }
            if change.operation == .delete {
                if object.map({ deleted.insert($0).inserted }) ?? true { deletions.append(change) }
                object.map { _ = inserted.remove($0) }
                continue
            }
            if case .insert = change.operation { object.map { _ = inserted.insert($0) } }
            let isNew = object.map(inserted.contains) ?? false
            if let rest = rest(of: change, isNew: isNew, isDeleted: isDeleted) { others.append(rest) }
        }
        return deletions + others
    }

    /// The objects whose deletion takes something of a change away.
    func objects(in change: Change) -> [ChangeSlice.Object] {
        var found: [ChangeSlice.Object] = []
        _ = rest(of: change, isNew: false) { object in
            object.map { found.append($0) }
            return false
        }
        return found
    }

    /// The object of a change; objects of different tables may have one identifier.
    func object(of change: Change) -> ChangeSlice.Object? {
        reader.context.layout.entity(named: change.entity).map { ChangeSlice.Object(table: $0.table, id: change.id) }
    }

    /// What a change writes that no deletion takes away; nil when it is nothing.
    ///
    /// A register that is written from the other end of its relationship belongs to its own object.
    private func rest(of change: Change, isNew: Bool, isDeleted: (ChangeSlice.Object?) -> Bool) -> Change? {
        let layout = reader.context.layout
        guard let entity = layout.entity(named: change.entity) else { return change }
        let isGone = isDeleted(object(of: change))
        func place(_ name: String) -> EntityLayout.Place? {
            entity.entity.propertyIndex(named: name).map { entity.places[$0] }
        }
        func isKept(_ write: PropertyWrite) -> Bool {
            switch place(write.name) {
            case .column(let column):
                let rule = layout.tables[entity.table].columns[column].mergeRule
                return !isGone || !isNew && !rule.isSupersededByDeletion
            case .inverseColumn(_, let table, _):
                guard case .string(let text) = write.value, let id = UniqueID(text) else { return !isGone }
                return !isDeleted(ChangeSlice.Object(table: table, id: id))
            case .inverse, .links, .none?, nil: return !isGone
            }
        }
        func kept(_ name: String, _ ids: [UniqueID]) -> [Int] {
            let place = place(name)
            if isGone { guard case .inverse = place else { return [] } }
            return ids.indices.filter { !isDeleted(end(ids[$0], of: place)) }
        }
        var rest = change
        var isEmpty = false
        switch change.operation {
        case .delete: return change
        case .insert(let writes), .update(let writes):
            let writes = writes.filter(isKept)
            if case .insert = change.operation, !isGone {
                rest.operation = .insert(writes)
            } else {
                isEmpty = writes.isEmpty
                rest.operation = .update(writes)
            }
        case .link(let name, let ids, let positions):
            let kept = kept(name, ids)
            isEmpty = kept.isEmpty
            let places = positions.map { all in kept.map { all[$0] } }
            rest.operation = .link(to: name, ids: kept.map { ids[$0] }, positions: places)
        case .unlink(let name, let ids):
            let kept = kept(name, ids).map { ids[$0] }
            isEmpty = kept.isEmpty
            rest.operation = .unlink(to: name, ids: kept)
        }
        return isEmpty && (isGone || rest != change) ? nil : rest
    }

    /// The object at the other end of a to-many relationship.
    private func end(_ id: UniqueID, of place: EntityLayout.Place?) -> ChangeSlice.Object? {
        switch place {
        case .links(let index, let ownsPairs):
            let link = reader.context.layout.links[index]
            return ChangeSlice.Object(table: ownsPairs ? link.target : link.source, id: id)
        case .inverse(let table, _, _): return ChangeSlice.Object(table: table, id: id)
        case .column, .inverseColumn, .none?, nil: return nil
        }
    }
}
