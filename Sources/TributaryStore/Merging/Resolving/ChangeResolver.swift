package import TributaryChanges
import TributaryModel

/// Resolves the names of changes to tables and columns.
///
/// The resolver defers changes whose entity or relationship the model does not have.
struct ChangeResolver {
    let layout: StoreModel
    let shapes: ChangeShapes
    let cursor: TransactionCursor
    let deferral: DeferralWriter
    let former: FormerRelationshipResolver

    init(layout: StoreModel, shapes: ChangeShapes, cursor: TransactionCursor, deferral: DeferralWriter) {
        self.layout = layout
        self.shapes = shapes
        self.cursor = cursor
        self.deferral = deferral
        former = FormerRelationshipResolver(layout: layout, cursor: cursor, deferral: deferral)
    }

    /// Fills the operations and the links of a slice.
    ///
    /// - Throws: ``StoreError`` `invalidChange` for a local change that the model cannot represent.
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
                return try deferAgain(change, index: index, slice: slice, reason: reason)
            }
            appendWrite(change, entity: entity, index: index, slice: &slice)
        case .update: appendWrite(change, entity: entity, index: index, slice: &slice)
        case .delete: slice.operations.append(.init(table: table, id: change.id, index: index, action: .delete))
        case .link(let name, let ids, let positions):
            if let positions, positions.count != ids.count {
                let reason = "positions and IDs differ in number"
                return try deferral.deferChange(change, at: slice.first + index, reason: reason)
            }
            try resolveLink(to: name, ids: ids, isLink: true, entity: entity, index: index, slice: &slice)
        case .unlink(let name, let ids):
            try resolveLink(to: name, ids: ids, isLink: false, entity: entity, index: index, slice: &slice)
        }
    }

    /// Appends the write of an insert or update, and the writes that go to registers of other objects.
    func appendWrite(_ change: Change, entity: Int, index: Int, slice: inout ChangeSlice) {
        let (values, isInsert): ([PropertyWrite], Bool)
        switch change.operation {
        case .insert(let writes): (values, isInsert) = (writes, true)
        case .update(let writes): (values, isInsert) = (writes, false)
        case .delete, .link, .unlink: return
        }
        let shape = shapes.index(of: values, isInsert: isInsert, entity: entity)
        let table = layout.entities[entity].table
        slice.operations.append(.init(table: table, id: change.id, index: index, action: .write(shape: shape)))
        guard !shapes[shape].isPlain else { return }
        for (target, write) in zip(shapes[shape].targets, values) {
            guard case .inverse(let column) = target, case .string(let text) = write.value, let other = UniqueID(text)
            else { continue }
            let action = ChangeSlice.Operation.Action.assign(column: column.column, target: change.id)
            slice.operations.append(.init(table: column.table, id: other, index: index, action: action))
        }
    }

    /// Resolves a change of an entity that the model does not have.
    private func resolveUnknown(_ change: Change, index: Int, slice: inout ChangeSlice) throws {
        let reason = "there is no entity '\(change.entity)'"
        let position = slice.first + index
        let entity = layout.lastName(ofEntity: change.entity)
        if slice.valueIndex != nil {
            let rest = try former.resolveValues(change, entity: entity, index: index, slice: &slice)
            if rest == change { try deferAgain(change, index: index, slice: slice, reason: reason) }
            return
        }
        if !cursor.isLocal, let root = layout.survivingRoot(ofEntity: change.entity) {
            return try resolveFormerObject(change, root: root, index: index, slice: &slice)
        }
        if try former.resolveLink(change, entity: entity, index: index, slice: &slice) { return }
        let rest = try former.resolveValues(change, entity: entity, index: index, slice: &slice)
        if case .update(let values) = rest.operation, values.isEmpty, rest != change { return }
        try deferral.deferChange(rest, at: position, reason: reason)
    }

    /// Defers a change of a slice: the whole change, or the one value of it that the slice contains.
    private func deferAgain(_ change: Change, index: Int, slice: ChangeSlice, reason: String) throws {
        guard let valueIndex = slice.valueIndex, let (writes, isInsert) = change.operation.valueWrites,
            let write = writes.first
        else { return try deferral.deferChange(change, at: slice.first + index, reason: reason) }
        try deferral.deferValue(
            write,
            of: (change.entity, change.id),
            isInsert: isInsert,
            at: slice.first + index,
            valueIndex: valueIndex,
            reason: reason
        )
    }

    /// Resolves a link or unlink.
    ///
    /// Pairs of a link table are merged at the end of the slice; links of a to-many relationship with a to-one inverse
    /// are writes of the inverse register.
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
        switch layout.propertyIndex(named: name, of: entityLayout.entity).map({ entityLayout.places[$0] }) {
        case .links(let link, let ownsPairs):
            slice.links.append(.init(index: index, link: link, ownsPairs: ownsPairs))
        case .inverse(let table, let column, let order):
            // An ordered relationship has positions in pairs, besides the register with the object's owner.
            if isLink, let order { slice.links.append(.init(index: index, link: order, ownsPairs: true)) }
            for id in ids {
                let action = ChangeSlice.Operation.Action.assign(column: column, target: isLink ? change.id : nil)
                slice.operations.append(.init(table: table, id: id, index: index, action: action))
            }
        default:
            let owner = entityLayout.entity.name
            if try former.resolveLink(change, entity: owner, index: index, slice: &slice) { return }
            let reason = "'\(change.entity)' has no to-many relationship '\(name)'"
            try deferral.deferChange(change, at: slice.first + index, reason: reason)
        }
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
}
