package import TributaryChanges
import TributaryModel

extension ChangeResolver {
    /// `entity` is the last name of the change's entity; returns false if no other entity keeps the relationship.
    func resolveFormerLink(_ change: Change, entity: String, index: Int, slice: inout ChangeSlice) throws -> Bool {
        guard let (name, ids, positions, isLink) = change.operation.pairs, !deferral.cursor.isLocal,
            positions.map({ $0.count == ids.count }) ?? true,
            let storage = layout.formerStorage(ofProperty: name, of: entity)
        else { return false }
        let reason = DeferralWriter.reason(former: name, of: change)
        switch storage {
        case .pairs(let link, let ownsPairs): slice.links.append(.init(index: index, link: link, ownsPairs: ownsPairs))
        case .register(let column):
            for id in ids { slice.assign(isLink ? change.id : nil, to: column, of: id, index: index) }
        case .formerRegister(let owner, let property):
            let value = isLink ? JSONValue.string(change.id.description) : .null
            let write = PropertyWrite(name: property, value: value)
            for id in ids {
                let change = Change(entity: owner, id: id, operation: .update([write]))
                try deferral.deferChange(change, 0, at: index, of: slice, reason: reason)
            }
        case .formerPairs(let owner, let property):
            for (number, id) in ids.enumerated() {
                let position = positions.map { [$0[number]] }
                let operation = Change.Operation(to: property, ids: [change.id], positions: position, isLink: isLink)
                let pair = Change(entity: owner, id: id, operation: operation)
                try deferral.deferChange(pair, at: index, of: slice, reason: reason)
            }
        }
        return true
    }

    /// Resolves the values that other objects keep, and returns the change without them.
    func resolveFormerValues(
        _ change: Change,
        entity: String,
        index: Int,
        slice: inout ChangeSlice
    ) throws -> Change {
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
            if other == change.id, isFollowed(write, in: storage, of: entity, slice.lines[index]) { continue }
            switch storage {
            case .register(let column): slice.assign(change.id, to: column, of: other, index: index)
            case .formerRegister(let owner, let property):
                try deferral.deferReference(to: change, valueIndex, in: (owner, other, property), at: index, of: slice)
            case .pairs, .formerPairs: kept.append(write)
            }
        }
        return change.withValues { _ in kept }
    }

    private func isFollowed(
        _ write: PropertyWrite,
        in storage: FormerStorage,
        of entity: String,
        _ line: Change
    ) -> Bool {
        let values = line.operation.valueWrites?.writes ?? []
        return values.drop { !$0.name.isIdentical(to: write.name) }.dropFirst().contains { later in
            guard ValueConverter.reference(later.value) != nil else { return false }
            switch storage {
            case .register(let column):
                guard let root = layout.survivingRoot(ofEntity: entity) else { return false }
                return layout.column(of: later.name, in: layout.entities[root]) == column
            case .formerRegister:
                let inverse = layout.formerProperty(named: later.name, of: entity)?.relationship?.inverse
                return inverse == layout.lastName(ofProperty: write.name, of: entity)
            case .pairs, .formerPairs: return false
            }
        }
    }
}

/// The place of a write to a former relationship, when it is not in the rows of its own entity.
///
/// A store that never had the relationship must use the same place as a store that had it, so that both become equal.
enum FormerStorage {
    /// The model still has the pairs; with `ownsPairs` the writing object is their source.
    case pairs(link: Int, ownsPairs: Bool)
    case register(StoreModel.ColumnIndex)
    /// The model has removed the pairs, too; the other object is their source.
    case formerPairs(entity: String, property: String)
    case formerRegister(entity: String, property: String)
}

extension StoreModel {
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

    /// Whether a deferred change can be merged now: the model has its entity, or other objects store a part of it.
    package func represents(_ change: Change) -> Bool {
        if entityIndex(named: change.entity) != nil || survivingRoot(ofEntity: change.entity) != nil { return true }
        let entity = lastName(ofEntity: change.entity)
        return change.operation.propertyNames.contains { formerStorage(ofProperty: $0, of: entity) != nil }
    }
}
