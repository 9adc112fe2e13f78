import TributaryChanges
import TributaryModel

/// Relationships of older versions of the model, written from the side that does not keep them.
extension Applier {
    /// Links and unlinks of a to-many relationship that `entity` does not have any more.
    ///
    /// - Returns: false when nobody else keeps them.
    func resolveFormerLink(_ change: Change, entity: String, index: Int, slice: inout ChangeSlice) throws -> Bool {
        let isLink: Bool
        let (name, ids): (String, [UniqueID])
        var positions: [String]?
        switch change.operation {
        case .link(let to, let targets, let places): (name, ids, positions, isLink) = (to, targets, places, true)
        case .unlink(let to, let targets): (name, ids, isLink) = (to, targets, false)
        case .insert, .update, .delete: return false
        }
        guard !isStrict, positions.map({ $0.count == ids.count }) ?? true,
            let keeper = layout.formerKeeper(ofProperty: name, of: entity)
        else { return false }
        let position = slice.first + index
        switch keeper {
        case .pairs(let link, let ownsPairs): slice.links.append(.init(index: index, link: link, ownsPairs: ownsPairs))
        case .register(let table, let place):
            for id in ids {
                let action = ChangeSlice.Operation.Action.assign(place: place, target: isLink ? change.id : nil)
                slice.operations.append(.init(table: table, id: id, index: index, action: action))
            }
        case .formerRegister(let owner, let property):
            for id in ids {
                let value = isLink ? JSONValue.string(change.id.description) : .null
                let write = Change(
                    entity: owner,
                    id: id,
                    operation: .update([PropertyWrite(name: property, value: value)])
                )
                try park(write, position: position, part: firstPart, reason: Applier.reasonOfFormer(change, name))
            }
        case .formerPairs(let owner, let property):
            for (number, id) in ids.enumerated() {
                let operation: Change.Operation =
                    isLink
                    ? .link(to: property, ids: [change.id], positions: positions.map { [$0[number]] })
                    : .unlink(to: property, ids: [change.id])
                let pair = Change(entity: owner, id: id, operation: operation)
                try park(pair, position: position, reason: Applier.reasonOfFormer(change, name))
            }
        }
        return true
    }

    /// Values of an object whose entity is gone that were kept by other objects.
    ///
    /// - Returns: what is left of the change.
    func resolveFormerValues(_ change: Change, entity: String, index: Int, slice: inout ChangeSlice) throws -> Change {
        let (values, isInsert): ([PropertyWrite], Bool)
        switch change.operation {
        case .insert(let writes): (values, isInsert) = (writes, true)
        case .update(let writes): (values, isInsert) = (writes, false)
        case .delete, .link, .unlink: return change
        }
        var kept: [PropertyWrite] = []
        for (part, write) in values.enumerated() {
            guard layout.formerProperty(named: write.name, of: entity)?.relationship?.isToMany == false,
                let keeper = layout.formerKeeper(ofProperty: write.name, of: entity)
            else {
                kept.append(write)
                continue
            }
            if isInsert, write.value == .null { continue }
            guard case .string(let text) = write.value, let other = UniqueID(text) else {
                kept.append(write)
                continue
            }
            switch keeper {
            case .register(let table, let place):
                let action = ChangeSlice.Operation.Action.assign(place: place, target: change.id)
                slice.operations.append(.init(table: table, id: other, index: index, action: action))
            case .formerRegister(let owner, let property):
                let place = (slice.first + index, firstPart + part)
                try parkFormer(change, other, (owner, property), position: place.0, part: place.1)
            case .pairs, .formerPairs: kept.append(write)
            }
        }
        guard kept.count < values.count else { return change }
        var rest = change
        rest.operation = isInsert ? .insert(kept) : .update(kept)
        return rest
    }

    /// Tries one value again of an object whose entity is gone; parks it again when nobody else keeps it.
    func applyFormerPart(_ change: Change) throws {
        var slice = ChangeSlice(changes: [change], first: changeCount)
        let former = layout.lastName(ofEntity: change.entity)
        let rest = try resolveFormerValues(change, entity: former, index: 0, slice: &slice)
        if rest == change {
            let reason = "there is no entity '\(change.entity)'"
            return try park(change, position: slice.first, part: firstPart, reason: reason)
        }
        for operation in slice.operations { try perform(operation, slice) }
    }

    /// The value that `change` gives to the register of another object, which is gone.
    func parkFormer(
        _ change: Change,
        _ other: UniqueID,
        _ register: (entity: String, property: String),
        position: Int,
        part: Int
    ) throws {
        let value = PropertyWrite(name: register.property, value: .string(change.id.description))
        // `park` looks for the value at its place among those of the change.
        let writes = Array(repeating: value, count: part - firstPart + 1)
        let write = Change(entity: register.entity, id: other, operation: .update(writes))
        try park(write, position: position, part: part, reason: Applier.reasonOfFormer(change, register.property))
    }

    private static func reasonOfFormer(_ change: Change, _ name: String) -> String {
        "'\(name)' of '\(change.entity)' is not in the model any more"
    }
}
