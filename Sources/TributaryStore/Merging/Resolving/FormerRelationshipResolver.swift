package import TributaryChanges
import TributaryModel

/// Resolves writes to former relationships that came from the side that does not keep them.
struct FormerRelationshipResolver {
    let layout: StoreModel
    let cursor: TransactionCursor
    let deferral: DeferralWriter

    /// Resolves a link or unlink of a relationship that `entity` (its last name) has no longer.
    ///
    /// Returns false when no other entity keeps the relationship.
    func resolveLink(_ change: Change, entity: String, index: Int, slice: inout ChangeSlice) throws -> Bool {
        let isLink: Bool
        let (name, ids): (String, [UniqueID])
        var positions: [String]?
        switch change.operation {
        case .link(let to, let targets, let places): (name, ids, positions, isLink) = (to, targets, places, true)
        case .unlink(let to, let targets): (name, ids, isLink) = (to, targets, false)
        case .insert, .update, .delete: return false
        }
        guard !cursor.isLocal, positions.map({ $0.count == ids.count }) ?? true,
            let storage = layout.formerStorage(ofProperty: name, of: entity)
        else { return false }
        let reason = FormerRelationshipResolver.reason(change, name)
        switch storage {
        case .pairs(let link, let ownsPairs): slice.links.append(.init(index: index, link: link, ownsPairs: ownsPairs))
        case .register(let column):
            for id in ids {
                let action = ChangeSlice.Operation.Action.assign(
                    column: column.column,
                    target: isLink ? change.id : nil
                )
                slice.operations.append(.init(table: column.table, id: id, index: index, action: action))
            }
        case .formerRegister(let owner, let property):
            for id in ids {
                let value = isLink ? JSONValue.string(change.id.description) : .null
                try deferral.deferValue(
                    PropertyWrite(name: property, value: value),
                    of: (owner, id),
                    isInsert: false,
                    at: slice.first + index,
                    valueIndex: slice.valueIndex ?? 0,
                    reason: reason
                )
            }
        case .formerPairs(let owner, let property):
            for (number, id) in ids.enumerated() {
                let operation: Change.Operation =
                    isLink
                    ? .link(to: property, ids: [change.id], positions: positions.map { [$0[number]] })
                    : .unlink(to: property, ids: [change.id])
                let pair = Change(entity: owner, id: id, operation: operation)
                try deferral.deferChange(pair, at: slice.first + index, reason: reason)
            }
        }
        return true
    }

    /// Resolves the values of an object of a removed entity that other objects keep, and returns the change without
    /// them.
    func resolveValues(_ change: Change, entity: String, index: Int, slice: inout ChangeSlice) throws -> Change {
        guard let (values, isInsert) = change.operation.valueWrites else { return change }
        var kept: [PropertyWrite] = []
        for (valueIndex, write) in values.enumerated() {
            guard layout.formerProperty(named: write.name, of: entity)?.relationship?.isToMany == false,
                let storage = layout.formerStorage(ofProperty: write.name, of: entity)
            else {
                kept.append(write)
                continue
            }
            if isInsert, write.value == .null { continue }
            guard case .string(let text) = write.value, let other = UniqueID(text) else {
                kept.append(write)
                continue
            }
            switch storage {
            case .register(let column):
                let action = ChangeSlice.Operation.Action.assign(column: column.column, target: change.id)
                slice.operations.append(.init(table: column.table, id: other, index: index, action: action))
            case .formerRegister(let owner, let property):
                try deferReference(
                    to: change,
                    in: (owner, other, property),
                    at: slice.first + index,
                    valueIndex: (slice.valueIndex ?? 0) + valueIndex
                )
            case .pairs, .formerPairs: kept.append(write)
            }
        }
        guard kept.count < values.count else { return change }
        var rest = change
        rest.operation = isInsert ? .insert(kept) : .update(kept)
        return rest
    }

    /// Defers a reference to the object of `change` that the former register of another object holds.
    func deferReference(
        to change: Change,
        in register: (entity: String, id: UniqueID, property: String),
        at index: Int,
        valueIndex: Int
    ) throws {
        try deferral.deferValue(
            PropertyWrite(name: register.property, value: .string(change.id.description)),
            of: (register.entity, register.id),
            isInsert: false,
            at: index,
            valueIndex: valueIndex,
            reason: FormerRelationshipResolver.reason(change, register.property)
        )
    }

    private static func reason(_ change: Change, _ name: String) -> String {
        "'\(name)' of '\(change.entity)' is not in the model any more"
    }
}

/// The storage of writes to a former relationship, when it is not in the rows of the entity itself.
///
/// A store that had the relationship has such a write in the register or the pair of the other side. A store that never
/// had it must put the write there too, so that both stores have equal states.
enum FormerStorage {
    /// Pairs that the model still has; `ownsPairs` is true when the writing object is their source.
    case pairs(link: Int, ownsPairs: Bool)
    /// A register of the other object that the model still has.
    case register(StoreModel.ColumnIndex)
    /// Pairs that the model has removed as well, with the other object as their source.
    case formerPairs(entity: String, property: String)
    /// A register of the other object that the model has removed as well.
    case formerRegister(entity: String, property: String)
}

extension StoreModel {
    /// Nil for properties that the entity has, never had, or kept itself.
    func formerStorage(ofProperty name: String, of entity: String) -> FormerStorage? {
        guard case .relationship(let relationship, let storage)? = formerProperty(named: name, of: entity),
            let inverse = relationship.inverse
        else { return nil }
        if let (owner, place) = counterpart(ofProperty: name, of: entity) {
            return switch (place, storage) {
            case (.links(let link, let ownsPairs), .links): .pairs(link: link, ownsPairs: !ownsPairs)
            case (.column(let column), .inverse): .register(ColumnIndex(table: owner.table, column: column))
            default: nil
            }
        }
        if let later = laterInverse(ofProperty: name, of: entity) {
            return switch storage {
            case .links: .formerPairs(entity: later.entity, property: later.property)
            case .inverse: .formerRegister(entity: later.entity, property: later.property)
            case .column: nil
            }
        }
        return switch storage {
        case .inverse(let owner, let property): .formerRegister(entity: owner, property: property)
        case .links(_, ownsPairs: false): .formerPairs(entity: relationship.destination, property: inverse)
        case .links, .column: nil
        }
    }

    /// The side under which pairs of a former relationship are deferred; nil when it is the given side.
    package func formerPairsOwner(ofProperty name: String, of entity: String) -> (entity: String, property: String)? {
        guard case .formerPairs(let owner, let property)? = formerStorage(ofProperty: name, of: entity) else {
            return nil
        }
        return (owner, property)
    }

    /// Whether a deferred change can be merged now: the model has its entity, or other objects keep a part of it.
    package func represents(_ change: Change) -> Bool {
        if entityIndex(named: change.entity) != nil || survivingRoot(ofEntity: change.entity) != nil { return true }
        let entity = lastName(ofEntity: change.entity)
        return switch change.operation {
        case .insert(let writes), .update(let writes):
            writes.contains { formerStorage(ofProperty: $0.name, of: entity) != nil }
        case .link(let name, _, _), .unlink(let name, _): formerStorage(ofProperty: name, of: entity) != nil
        case .delete: false
        }
    }
}
