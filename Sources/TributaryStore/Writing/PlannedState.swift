package import TributaryChanges
package import TributaryModel

/// The cost grows with the changes, the requested objects, and the objects at the other ends of their relationships.
package struct PlannedState {
    private struct Register: Hashable {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
    }

    private struct End: Hashable {
        var link: Int
        var isSource: Bool
        var id: UniqueID
    }

    private struct Kind {
        let entity: EntityLayout
        let references: [(name: String, propertyIndex: Int, column: StoreModel.ColumnIndex)]

        init?(_ name: String, _ layout: StoreModel, isWhole: Bool) {
            guard let entity = layout.entity(named: name) else { return nil }
            self.entity = entity
            references = entity.entity.properties.enumerated().compactMap { propertyIndex, property in
                guard case .relationship(let relationship, .column) = property,
                    isWhole || !relationship.isOptional, case .column(let column) = entity.places[propertyIndex]
                else { return nil }
                return (relationship.name, propertyIndex, StoreModel.ColumnIndex(table: entity.table, column: column))
            }
        }
    }

    private let reader: Reader
    private let isWhole: Bool
    private var kinds: [String: Kind] = [:]
    private var inserted: [ManagedObjectID: ManagedObjectID] = [:]
    private var deletions: [ManagedObjectID] = []
    private var deleted: Set<ManagedObjectID> = []
    /// Stored objects that make room for new ones with the same IDs; their deletions come first.
    private var replaced: [ManagedObjectID] = []
    private var replacedIDs: Set<ManagedObjectID> = []
    private var targets: [Register: UniqueID?] = [:]
    private var sources: [Register: [ManagedObjectID]] = [:]
    private var references: [(id: ManagedObjectID, propertyIndex: Int)] = []
    private var links: [End: [UniqueID: Bool]] = [:]
    private var linkedObjects: [(id: ManagedObjectID, propertyIndex: Int)] = []

    private var layout: StoreModel { reader.context.layout }

    /// Only mandatory references matter, unless there is a deletion or `hasBounds` asks for counts.
    package init(_ changes: [Change], over reader: Reader, hasBounds: Bool) {
        self.reader = reader
        isWhole = hasBounds || changes.contains { if case .delete = $0.operation { true } else { false } }
        for change in changes { add(change) }
        guard hasBounds || !deletions.isEmpty || !references.isEmpty else { return }
        for change in changes {
            guard case .insert = change.operation, let entity = kind(change.entity)?.entity else { continue }
            let id = layout.objectID(change.id, of: entity)
            inserted[id] = id
        }
        replaced = deletions.filter { inserted[$0] != nil }
        guard !replaced.isEmpty else { return }
        replacedIDs = Set(replaced)
        deletions.removeAll(where: replacedIDs.contains)
        deleted.subtract(replacedIDs)
    }

    private mutating func kind(_ name: String) -> Kind? {
        if let known = kinds[name] { return known }
        let made = Kind(name, layout, isWhole: isWhole)
        kinds[name] = made
        return made
    }

    private mutating func add(_ change: Change) {
        guard let kind = kind(change.entity) else { return }
        let entity = kind.entity
        if change.operation == .delete { _ = delete(layout.objectID(change.id, of: entity)) }
        if let (writes, _) = change.operation.valueWrites, !kind.references.isEmpty {
            add(writes, of: layout.objectID(change.id, of: entity), kind)
        }
        if let (name, ids, _, isLink) = change.operation.pairs, isWhole {
            let id = layout.objectID(change.id, of: entity)
            for other in ids { add(other, name, id, entity, isLinked: isLink) }
        }
    }

    private mutating func add(_ writes: [PropertyWrite], of id: ManagedObjectID, _ kind: Kind) {
        for write in writes {
            guard write.value == .null || write.value.isString,
                let reference = kind.references.first(where: { $0.name == write.name })
            else { continue }
            let target: UniqueID? = if case .string(let text) = write.value { UniqueID(text) } else { nil }
            set(reference.column, of: id, to: target)
            references.append((id, reference.propertyIndex))
        }
    }

    private mutating func set(_ column: StoreModel.ColumnIndex, of id: ManagedObjectID, to target: UniqueID?) {
        targets[Register(column: column, id: id.uniqueID)] = .some(target)
        if let target { sources[Register(column: column, id: target), default: []].append(id) }
    }

    private mutating func add(
        _ other: UniqueID,
        _ name: String,
        _ id: ManagedObjectID,
        _ entity: EntityLayout,
        isLinked: Bool
    ) {
        guard let propertyIndex = entity.entity.propertyIndex(named: name),
            let relationship = entity.entity.properties[propertyIndex].relationship,
            let destination = layout.entity(named: relationship.destination)
        else { return }
        let target = layout.objectID(other, of: destination)
        switch entity.places[propertyIndex] {
        case .links(let index, let ownsPairs):
            let isSymmetric = layout.links[index].isSymmetric
            for (isSource, own, other) in [(ownsPairs, id.uniqueID, other), (!ownsPairs, other, id.uniqueID)] {
                links[End(link: index, isSource: isSource || isSymmetric, id: own), default: [:]][other] = isLinked
            }
            linkedObjects.append((id, propertyIndex))
            if let inverse = relationship.inverse.flatMap(destination.entity.propertyIndex(named:)) {
                linkedObjects.append((target, inverse))
            }
        case .inverse(let table, let column, _) where isLinked:
            set(StoreModel.ColumnIndex(table: table, column: column), of: target, to: id.uniqueID)
        case .inverse, .column, .inverseColumn, .none: break
        }
    }

    private mutating func delete(_ id: ManagedObjectID) -> Bool {
        guard deleted.insert(id).inserted else { return false }
        deletions.append(id)
        return true
    }

    // MARK: Reading

    private func object(_ id: UniqueID, _ entity: EntityLayout) throws -> ManagedObjectID? {
        let id = layout.objectID(id, of: entity)
        guard !deleted.contains(id) else { return nil }
        return try inserted[id] ?? reader.objectID(id.uniqueID, rootEntity: id.rootEntity)
    }

    /// Costs a query; with `areReplaced`, a replaced owner has the stored objects that the changes do not delete.
    private func related(
        to owners: [ManagedObjectID],
        _ propertyIndex: Int,
        areReplaced: Bool = false
    ) throws -> [(owner: ManagedObjectID, other: ManagedObjectID)] {
        guard let entity = owners.first.flatMap({ layout.entity(named: $0.entity) }),
            let relationship = entity.entity.properties[propertyIndex].relationship,
            let destination = layout.entity(named: relationship.destination)
        else { return [] }
        // A new object inherits only the references to its predecessor that No Action leaves.
        let keepsReferences = entity.places[propertyIndex].isInverse
        let stored = owners.filter {
            inserted[$0] == nil || (areReplaced || keepsReferences) && replacedIDs.contains($0)
        }
        var found =
            try reader.relatedIDs(of: stored.map(\.uniqueID), entity: entity.entity, propertyIndex: propertyIndex)
            .map { (owner: stored[$0.owner], other: $0.id) }
        if !replacedIDs.isEmpty { found.removeAll { replacedIDs.contains($0.other) } }
        var added: [(owner: ManagedObjectID, other: ManagedObjectID)] = []
        switch entity.places[propertyIndex] {
        case .column(let column):
            guard !targets.isEmpty else { break }
            let column = StoreModel.ColumnIndex(table: entity.table, column: column)
            found.removeAll { owner, other in
                guard let target = targets[Register(column: column, id: owner.uniqueID)] else { return false }
                return !areReplaced || target == other.uniqueID
            }
            for owner in owners {
                guard let target = targets[Register(column: column, id: owner.uniqueID)] ?? nil,
                    let other = try object(target, destination)
                else { continue }
                added.append((owner, other))
            }
        case .inverse(let table, let column, _), .inverseColumn(_, let table, let column):
            guard !targets.isEmpty else { break }
            let column = StoreModel.ColumnIndex(table: table, column: column)
            found.removeAll { targets[Register(column: column, id: $0.other.uniqueID)] != nil }
            for owner in owners {
                var seen: Set<ManagedObjectID> = []
                for other in sources[Register(column: column, id: owner.uniqueID)] ?? []
                where targets[Register(column: column, id: other.uniqueID)] == owner.uniqueID
                    && seen.insert(other).inserted
                {
                    if let other = try object(other.uniqueID, destination) { added.append((owner, other)) }
                }
            }
        case .links(let index, let ownsPairs):
            guard !links.isEmpty else { break }
            let isSource = ownsPairs || layout.links[index].isSymmetric
            func changes(_ owner: ManagedObjectID) -> [UniqueID: Bool] {
                links[End(link: index, isSource: isSource, id: owner.uniqueID)] ?? [:]
            }
            found.removeAll { changes($0.owner)[$0.other.uniqueID] != nil }
            for owner in owners {
                for (other, isLinked) in changes(owner).sorted(by: { $0.key < $1.key }) where isLinked {
                    if let other = try object(other, destination) { added.append((owner, other)) }
                }
            }
        case .none: break
        }
        return (areReplaced ? found : found + added).filter { !deleted.contains($0.other) }
    }

    private func groups(_ ids: some Sequence<ManagedObjectID>) -> [(entity: EntityLayout, ids: [ManagedObjectID])] {
        var groups: [(entity: EntityLayout, ids: [ManagedObjectID])] = []
        var places: [String: Int] = [:]
        for id in ids {
            guard let entity = layout.entity(named: id.entity) else { continue }
            let place = places[id.entity, default: groups.count]
            if place == groups.count { groups.append((entity, [])) }
            places[id.entity] = place
            groups[place].ids.append(id)
        }
        return groups
    }
}

// MARK: Delete rules

package struct DeletionEffects {
    package var deleted: [ManagedObjectID] = []
    package var cleared: [(id: ManagedObjectID, propertyIndex: Int, target: ManagedObjectID)] = []
    package var denials: [(id: ManagedObjectID, relationship: Relationship, others: [ManagedObjectID])] = []

    package init() {}
}

extension PlannedState {
    /// One query for each rule and deleted entity on each level of Cascade; `BatchDeletion` does the same in SQL.
    package mutating func followDeleteRules() throws -> DeletionEffects {
        var effects = DeletionEffects()
        for (owners, propertyIndex, _) in rules(.cascade, of: replaced[...]) {
            for (_, other) in try related(to: owners, propertyIndex, areReplaced: true) where delete(other) {
                effects.deleted.append(other)
            }
        }
        var first = 0
        while first < deletions.count {
            let level = deletions[first...]
            first = deletions.count
            for (owners, propertyIndex, _) in rules(.cascade, of: level) {
                for (_, other) in try related(to: owners, propertyIndex) where delete(other) {
                    effects.deleted.append(other)
                }
            }
        }
        for (ids, areReplaced) in [(replaced, true), (deletions, false)] {
            for (owners, propertyIndex, relationship) in rules(.deny, of: ids[...]) {
                let found = try related(to: owners, propertyIndex, areReplaced: areReplaced)
                let byOwner = Dictionary(grouping: found, by: \.owner)
                for owner in owners {
                    guard let others = byOwner[owner] else { continue }
                    effects.denials.append((owner, relationship, others.map(\.other)))
                }
            }
            for (owners, propertyIndex, relationship) in rules(.nullify, of: ids[...]) {
                let entity = owners.first.flatMap { layout.entity(named: $0.entity) }
                guard case .inverse(_, let name)? = entity?.entity.properties[propertyIndex].storage,
                    let inverse = layout.entity(named: relationship.destination)?.entity.propertyIndex(named: name)
                else { continue }
                for (owner, other) in try related(to: owners, propertyIndex, areReplaced: areReplaced) {
                    effects.cleared.append((other, inverse, owner))
                }
            }
        }
        for cleared in effects.cleared {
            guard let entity = layout.entity(named: cleared.id.entity),
                case .column(let column) = entity.places[cleared.propertyIndex]
            else { continue }
            set(StoreModel.ColumnIndex(table: entity.table, column: column), of: cleared.id, to: nil)
        }
        return effects
    }

    private func rules(
        _ rule: DeleteRule,
        of ids: ArraySlice<ManagedObjectID>
    ) -> [(owners: [ManagedObjectID], propertyIndex: Int, relationship: Relationship)] {
        groups(ids).flatMap { entity, owners in
            entity.entity.properties.enumerated().compactMap { propertyIndex, property in
                guard let relationship = property.relationship, relationship.deleteRule == rule else { return nil }
                return (owners, propertyIndex, relationship)
            }
        }
    }
}

// MARK: References and counts

extension PlannedState {
    /// One look-up for each object that the changes refer to and do not insert.
    package func missingTargets() throws -> [(id: ManagedObjectID, property: String, target: ManagedObjectID)] {
        var known: [ManagedObjectID: Bool] = [:]
        return try references.compactMap { id, propertyIndex in
            guard !deleted.contains(id), let entity = layout.entity(named: id.entity),
                let relationship = entity.entity.properties[propertyIndex].relationship, !relationship.isOptional,
                case .column(let column) = entity.places[propertyIndex],
                let destination = layout.entity(named: relationship.destination),
                let target = targets[
                    Register(column: StoreModel.ColumnIndex(table: entity.table, column: column), id: id.uniqueID)
                ] ?? nil
            else { return nil }
            let targetID = layout.objectID(target, of: destination)
            let isThere = try known[targetID] ?? (object(target, destination) != nil)
            known[targetID] = isThere
            return isThere ? nil : (id, relationship.name, targetID)
        }
    }

    /// One query for each changed relationship with bounds, and a look-up of each object in it.
    package func counts() throws -> [(id: ManagedObjectID, relationship: Relationship, count: Int)] {
        var touched: [(id: ManagedObjectID, propertyIndex: Int)] = []
        for id in inserted.keys {
            guard let entity = layout.entity(named: id.entity) else { continue }
            touched += entity.entity.properties.indices.map { (id, $0) }
        }
        touched += linkedObjects
        for (propertyIndex, items) in Dictionary(grouping: references, by: \.propertyIndex) {
            for (_, ids) in groups(items.map(\.id)) { touched += try ends(of: ids, propertyIndex, isWritten: true) }
        }
        for (entity, ids) in groups(replaced + deletions) {
            for propertyIndex in entity.entity.properties.indices {
                touched += try ends(of: ids, propertyIndex, isWritten: false)
            }
        }
        var seen: Set<ManagedObjectID> = []
        var found: [(id: ManagedObjectID, relationship: Relationship, count: Int)] = []
        let byProperty = Dictionary(grouping: touched, by: \.propertyIndex)
        for (propertyIndex, items) in byProperty.sorted(by: { $0.key < $1.key }) {
            seen = []
            let ids = items.map(\.id).sorted { $0.uniqueID < $1.uniqueID }
            for id in ids where !deleted.contains(id) && seen.insert(id).inserted {
                guard let root = layout.entity(named: id.rootEntity), let id = try object(id.uniqueID, root),
                    let property = layout.entity(named: id.entity)?.entity.properties[propertyIndex],
                    property.isBounded, let relationship = property.relationship
                else { continue }
                found.append((id, relationship, try related(to: [id], propertyIndex).count))
            }
        }
        return found
    }

    /// The bounded relationships that these objects' references lead to, before and after the changes.
    private func ends(
        of ids: [ManagedObjectID],
        _ propertyIndex: Int,
        isWritten: Bool
    ) throws -> [(id: ManagedObjectID, propertyIndex: Int)] {
        guard let entity = ids.first.flatMap({ layout.entity(named: $0.entity) }),
            let relationship = entity.entity.properties[propertyIndex].relationship,
            let destination = layout.entity(named: relationship.destination),
            let inverse = relationship.inverse.flatMap(destination.entity.propertyIndex(named:)),
            destination.entity.properties[inverse].isBounded
        else { return [] }
        let stored = ids.filter { inserted[$0] == nil || replacedIDs.contains($0) }.map(\.uniqueID)
        let before = try reader.relatedIDs(of: stored, entity: entity.entity, propertyIndex: propertyIndex).map(\.id)
        let after = isWritten ? try related(to: ids, propertyIndex).map(\.other) : []
        return (before + after).map { ($0, inverse) }
    }
}

extension EntityLayout.Place {
    fileprivate var isInverse: Bool {
        switch self {
        case .inverse, .inverseColumn: true
        case .column, .links, .none: false
        }
    }
}

extension JSONValue {
    fileprivate var isString: Bool { if case .string = self { true } else { false } }
}

extension Property {
    fileprivate var storage: RelationshipStorage? {
        if case .relationship(_, let storage) = self { storage } else { nil }
    }
}
