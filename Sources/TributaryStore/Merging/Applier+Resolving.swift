import TributaryChanges
import TributaryModel

extension Applier {
    /// Turns names into tables and places; parks changes of unknown entities.
    func resolve(_ slice: inout ChangeSlice) throws {
        var lastName = ""
        var lastEntity: Int?
        let changes = slice.changes
        for (index, change) in zip(changes.indices, changes) {
            if change.entity != lastName || lastEntity == nil {
                lastName = change.entity
                lastEntity = layout.entityIndex(named: lastName)
            }
            guard let entity = lastEntity else {
                if !isStrict, let root = layout.survivingRoot(ofEntity: change.entity) {
                    try resolveFormerObject(change, root: root, index: index, slice: &slice)
                    continue
                }
                let former = layout.lastName(ofEntity: change.entity)
                if try resolveFormerLink(change, entity: former, index: index, slice: &slice) { continue }
                let rest = try resolveFormerValues(change, entity: former, index: index, slice: &slice)
                if case .update(let values) = rest.operation, values.isEmpty, rest != change { continue }
                try park(rest, position: slice.first + index, reason: "there is no entity '\(change.entity)'")
                continue
            }
            let table = layout.entities[entity].table
            func append(_ action: ChangeSlice.Operation.Action) {
                slice.operations.append(.init(table: table, id: change.id, index: index, action: action))
            }
            switch change.operation {
            case .insert(let values):
                if layout.entities[entity].entity.isAbstract {
                    try park(
                        change,
                        position: slice.first + index,
                        reason: "'\(change.entity)' is abstract: it has no objects of its own"
                    )
                } else {
                    append(.write(shape: shape(of: values, isInsert: true, entity: entity)))
                    resolveMirrors(values, index: index, slice: &slice)
                }
            case .update(let values):
                append(.write(shape: shape(of: values, isInsert: false, entity: entity)))
                resolveMirrors(values, index: index, slice: &slice)
            case .delete: append(.delete)
            case .link(let name, let ids, let positions):
                if let positions, positions.count != ids.count {
                    try park(change, position: slice.first + index, reason: "positions and IDs differ in number")
                } else {
                    try resolveLink(to: name, ids: ids, isLink: true, entity: entity, index: index, slice: &slice)
                }
            case .unlink(let name, let ids):
                try resolveLink(to: name, ids: ids, isLink: false, entity: entity, index: index, slice: &slice)
            }
        }
    }

    func shape(of values: [PropertyWrite], isInsert: Bool, entity: Int) -> Int {
        shapes.index(of: values, isInsert: isInsert, entity: entity, layout: layout)
    }

    /// Writes through the mirrored side of a one-to-one go to the register of the other object.
    func resolveMirrors(_ values: [PropertyWrite], index: Int, slice: inout ChangeSlice) {
        guard case .write(let shape)? = slice.operations.last?.action, !shapes[shape].isPlain else { return }
        let change = slice.changes[index]
        for (target, write) in zip(shapes[shape].targets, values) {
            guard case .mirror(let table, let place) = target, case .string(let text) = write.value,
                let other = UniqueID(text)
            else { continue }
            slice.operations.append(
                .init(table: table, id: other, index: index, action: .assign(place: place, target: change.id))
            )
        }
    }

    /// Pairs of a link table wait for the end of the slice; a to-many whose inverse is to-one becomes writes of that.
    func resolveLink(
        to name: String,
        ids: [UniqueID],
        isLink: Bool,
        entity: Int,
        index: Int,
        slice: inout ChangeSlice
    ) throws {
        let change = slice.changes[index]
        let entityLayout = layout.entities[entity]
        switch layout.slot(named: name, of: entityLayout.entity).map({ entityLayout.places[$0] }) {
        case .links(let link, let ownsPairs):
            slice.links.append(.init(index: index, link: link, ownsPairs: ownsPairs))
        case .inverse(let table, let column, let order):
            // An ordered one has positions in pairs beside the register that says who belongs to it.
            if isLink, let order { slice.links.append(.init(index: index, link: order, ownsPairs: true)) }
            for id in ids {
                let action = ChangeSlice.Operation.Action.assign(place: column, target: isLink ? change.id : nil)
                slice.operations.append(.init(table: table, id: id, index: index, action: action))
            }
        default:
            let owner = entityLayout.entity.name
            if try resolveFormerLink(change, entity: owner, index: index, slice: &slice) { return }
            try park(
                change,
                position: slice.first + index,
                reason: "'\(change.entity)' has no to-many relationship '\(name)'"
            )
        }
    }
}
