package import TributaryChanges
import TributaryModel

/// Resolves names to tables and columns; defers changes with an entity or relationship that the model lacks.
struct ChangeResolver {
    let layout: StoreModel
    let shapes: ChangeShapes
    let deferral: DeferralWriter

    func resolve(_ slice: inout ChangeSlice) throws {
        var lastName = ""
        var lastEntity: Int?
        let changes = slice.changes
        for (index, change) in zip(changes.indices, changes) {
            if change.entity != lastName || lastEntity == nil {
                lastName = change.entity
                lastEntity = layout.entityIndex(named: lastName)
            }
            if let entity = lastEntity {
                try resolve(change, entity: entity, index: index, slice: &slice)
            } else {
                try resolveUnknown(change, index: index, slice: &slice)
            }
        }
    }

    private func resolve(_ change: Change, entity: Int, index: Int, slice: inout ChangeSlice) throws {
        let table = layout.entities[entity].table
        switch change.operation {
        case .insert:
            if layout.entities[entity].entity.isAbstract {
                let reason = "'\(change.entity)' is abstract: it has no objects of its own"
                return try deferral.deferChange(change, at: index, of: slice, reason: reason)
            }
            appendWrite(change, entity: entity, index: index, slice: &slice)
        case .update: appendWrite(change, entity: entity, index: index, slice: &slice)
        case .delete: slice.operations.append(.init(table: table, id: change.id, index: index, action: .delete))
        case .link, .unlink: try resolveLink(change, entity: entity, index: index, slice: &slice)
        }
    }

    private func appendWrite(_ change: Change, entity: Int, index: Int, slice: inout ChangeSlice) {
        guard let (values, isInsert) = change.operation.valueWrites else { return }
        let shape = shapes.index(of: values, isInsert: isInsert, entity: entity)
        let table = layout.entities[entity].table
        slice.operations.append(.init(table: table, id: change.id, index: index, action: .write(shape: shape)))
        guard !shapes[shape].isPlain else { return }
        let targets = shapes[shape].targets
        for (target, valueIndex) in zip(targets, values.indices) {
            guard case .inverse(let column) = target, case .string(let text) = values[valueIndex].value,
                let other = UniqueID(text)
            else { continue }
            // The object's own values are merged first, but a later own value of the register must win. The line is
            // scanned at most once for each name that the model knows.
            if other == change.id, column.table == table,
                zip(targets, values).dropFirst(valueIndex + 1).contains(where: { $0.refers(from: column.column, $1) })
            {
                continue
            }
            slice.assign(change.id, to: column, of: other, index: index)
        }
    }

    private func resolveUnknown(_ change: Change, index: Int, slice: inout ChangeSlice) throws {
        let reason = "the model has no entity '\(change.entity)'"
        let entity = layout.lastName(ofEntity: change.entity)
        if !deferral.cursor.isLocal, let root = layout.survivingRoot(ofEntity: change.entity) {
            return try resolveFormerObject(change, root: root, index: index, slice: &slice)
        }
        if try resolveFormerLink(change, entity: entity, index: index, slice: &slice) { return }
        let rest = try resolveFormerValues(change, entity: entity, index: index, slice: &slice)
        if case .update(let values) = rest.operation, values.isEmpty, rest != change { return }
        try deferral.deferChange(rest, at: index, of: slice, reason: reason)
    }

    /// Links of a to-many relationship with a to-one inverse become writes of the inverse register.
    private func resolveLink(_ change: Change, entity: Int, index: Int, slice: inout ChangeSlice) throws {
        guard let (name, ids, positions, isLink) = change.operation.pairs else { return }
        if let positions, positions.count != ids.count {
            let reason = "positions and IDs differ in number"
            return try deferral.deferChange(change, at: index, of: slice, reason: reason)
        }
        let entityLayout = layout.entities[entity]
        switch layout.propertyIndex(named: name, of: entityLayout.entity).map({ entityLayout.places[$0] }) {
        case .links(let link, let ownsPairs):
            slice.links.append(.init(index: index, link: link, ownsPairs: ownsPairs))
        case .inverse(let table, let column, let order):
            // An ordered relationship has positions in pairs, besides the register with the object's owner.
            if isLink, let order { slice.links.append(.init(index: index, link: order, ownsPairs: true)) }
            let register = StoreModel.ColumnIndex(table: table, column: column)
            for id in ids { slice.assign(isLink ? change.id : nil, to: register, of: id, index: index) }
        default:
            let owner = entityLayout.entity.name
            if try resolveFormerLink(change, entity: owner, index: index, slice: &slice) { return }
            let reason = "'\(change.entity)' has no to-many relationship '\(name)'"
            try deferral.deferChange(change, at: index, of: slice, reason: reason)
        }
    }
}

extension Change {
    func withValues(_ values: ([PropertyWrite]) throws -> [PropertyWrite]) rethrows -> Change {
        guard let (writes, isInsert) = operation.valueWrites else { return self }
        let new = try values(writes)
        return Change(entity: entity, id: id, operation: isInsert ? .insert(new) : .update(new))
    }
}

extension Change.Operation {
    package var valueWrites: (writes: [PropertyWrite], isInsert: Bool)? {
        switch self {
        case .insert(let writes): (writes, true)
        case .update(let writes): (writes, false)
        case .delete, .link, .unlink: nil
        }
    }

    var pairs: (property: String, ids: [UniqueID], positions: [String]?, isLink: Bool)? {
        switch self {
        case .link(let name, let ids, let positions): (name, ids, positions, true)
        case .unlink(let name, let ids): (name, ids, nil, false)
        case .insert, .update, .delete: nil
        }
    }

    package init(to property: String, ids: [UniqueID], positions: [String]?, isLink: Bool) {
        self = isLink ? .link(to: property, ids: ids, positions: positions) : .unlink(to: property, ids: ids)
    }

    package var propertyNames: [String] {
        switch self {
        case .insert(let writes), .update(let writes): writes.map(\.name)
        case .link(let name, _, _), .unlink(let name, _): [name]
        case .delete: []
        }
    }
}

/// Resolves changes of objects with a removed sub-entity, while the root of its hierarchy remains.
///
/// The insert and the values of the sub-entity are deferred; other changes are merged as for any invisible object.
extension ChangeResolver {
    private func resolveFormerObject(_ change: Change, root: Int, index: Int, slice: inout ChangeSlice) throws {
        let entity = layout.entities[root]
        switch change.operation {
        case .delete: slice.operations.append(.init(table: entity.table, id: change.id, index: index, action: .delete))
        case .link(let name, _, _), .unlink(let name, _):
            let former = layout.lastName(ofEntity: change.entity)
            if layout.propertyIndex(named: name, of: entity.entity) == nil,
                try resolveFormerLink(change, entity: former, index: index, slice: &slice)
            {
                return
            }
            try resolveLink(change, entity: root, index: index, slice: &slice)
        case .insert, .update: try resolveValues(of: change, root: root, index: index, slice: &slice)
        }
    }

    private func resolveValues(of change: Change, root: Int, index: Int, slice: inout ChangeSlice) throws {
        guard let (values, isInsert) = change.operation.valueWrites else { return }
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
        if !known.isEmpty {
            slice.changes[index] = Change(entity: entity.entity.name, id: change.id, operation: .update(known))
            appendWrite(slice.changes[index], entity: root, index: index, slice: &slice)
        }
        let former = layout.lastName(ofEntity: change.entity)
        let others = change.withValues { _ in rest }
        let deferred = try resolveFormerValues(others, entity: former, index: index, slice: &slice)
        guard isInsert || deferred.operation != .update([]) else { return }
        let reason = "the model has no entity '\(change.entity)'"
        try deferral.deferChange(deferred, at: index, of: slice, reason: reason)
    }

    private func writtenPlace(of name: String, in root: EntityLayout) -> EntityLayout.Place? {
        guard let index = layout.propertyIndex(named: name, of: root.entity) else { return nil }
        return switch root.places[index] {
        case .column, .inverseColumn: root.places[index]
        case .inverse, .links, .none: nil
        }
    }

    private func update(_ write: PropertyWrite, at place: EntityLayout.Place, in root: EntityLayout) -> PropertyWrite? {
        switch place {
        case .column(let column) where layout.tables[root.table].columns[column].mergeRule == .counter:
            if write.value == .null { return nil }
            if case .object = write.value { return write }
            return PropertyWrite(name: write.name, value: JSONValue(increment: write.value))
        case .inverseColumn: return write.value == .null ? nil : write
        case .column, .inverse, .links, .none: return write
        }
    }
}
