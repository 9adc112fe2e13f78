import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Reads what lies at the end of relationships, at most two queries for each step of a path, whatever the number of
    /// objects.
    ///
    /// To-many relationships know their objects then, and the objects' rows are at hand.
    func prefetch(_ keyPaths: [String], of objects: [ManagedObject], entity name: String) throws {
        for path in keyPaths {
            var entity = try kind(named: name).entity
            var owners = objects.filter { $0.state != .gone && $0.state != .deleted }.map(\.objectID)
            for component in path.split(separator: ".").map(String.init) {
                guard let slot = entity.slot(named: component) else {
                    throw ContextError.unknownProperty(entity: entity.name, property: component)
                }
                guard case .relationship(let relationship, let storage) = entity.properties[slot] else {
                    throw ContextError.wrongKind(entity: entity.name, property: component, expected: "a relationship")
                }
                let destination = try kind(named: relationship.destination)
                if case .column = storage {
                    owners = try prefetchRegister(slot, of: entity, owners)
                } else {
                    owners = try prefetchDerived(slot, of: entity, owners, isToMany: relationship.isToMany)
                }
                entity = destination.entity
            }
        }
    }

    /// A to-one relationship that the owners' rows hold; the IDs at the other end, each once.
    private func prefetchRegister(
        _ slot: Int,
        of entity: Entity,
        _ owners: [ManagedObjectID]
    ) throws -> [ManagedObjectID] {
        var ends = Ends()
        var unread: [UniqueID] = []
        for id in owners {
            if let object = visible(id) {
                if object.isFault, object.extras?.faultError == nil, cachedRow(id) == nil,
                    source.unsaved(object.key) == nil
                {
                    unread.append(id.uniqueID)
                } else if let target = object.relatedID(slot) {
                    ends.insert(target)
                }
            } else if let row = cachedRow(id), row.values.indices.contains(slot) {
                if let target = row.values[slot].referencedID, let kind = destination(of: entity, slot) {
                    ends.insert(kind.objectID(target))
                }
            } else {
                unread.append(id.uniqueID)
            }
        }
        if !unread.isEmpty {
            let rows = try readAhead { try $0.relatedRows(of: unread, entity: entity, slot: slot).map(\.row) }
            for row in rows { ends.insert(row.id) }
        }
        return try readMissing(ends.ids)
    }

    /// A relationship that follows from others' rows or from pairs; the IDs at the other end, each once.
    private func prefetchDerived(
        _ slot: Int,
        of entity: Entity,
        _ owners: [ManagedObjectID],
        isToMany: Bool
    ) throws -> [ManagedObjectID] {
        let asked = owners.filter { id in
            registeredObject(for: id)?.state != .inserted && source.unsaved(objectKey(id))?.isInserted != true
        }
        var targets = [[ManagedObjectID]](repeating: [], count: asked.count)
        if !asked.isEmpty {
            let ids = asked.map(\.uniqueID)
            var pairs: [(owner: Int, row: Row)] = []
            _ = try readAhead { reader in
                pairs = try reader.relatedRows(of: ids, entity: entity, slot: slot)
                return pairs.map(\.row)
            }
            for (owner, row) in pairs { targets[owner].append(row.id) }
        }
        for (id, stored) in zip(asked, targets) {
            let key = RelationshipKey(rootIndex: objectKey(id).rootIndex, id: id.uniqueID, slot: slot)
            let ids = shown(stored, at: key)
            rowsAtHand.insert(ids, at: key, version: shownVersion)
            if let object = registeredObject(for: id) { registry.keep(ids, at: slot, of: object) }
        }
        var ends = Ends()
        for id in owners {
            if let object = visible(id) {
                for target in relatedIDs(object, slot) { ends.insert(target) }
            } else {
                let key = RelationshipKey(rootIndex: objectKey(id).rootIndex, id: id.uniqueID, slot: slot)
                for target in rowsAtHand.related(key, version: shownVersion) ?? [] { ends.insert(target) }
            }
        }
        return try readMissing(ends.ids)
    }

    /// IDs in the order in which they came, each once.
    private struct Ends {
        private(set) var ids: [ManagedObjectID] = []
        private var seen: Set<ManagedObjectID> = []

        mutating func insert(_ id: ManagedObjectID) {
            if seen.insert(id).inserted { ids.append(id) }
        }
    }

    /// Reads the rows of those that are neither in use nor read ahead.
    private func readMissing(_ ids: [ManagedObjectID]) throws -> [ManagedObjectID] {
        let missing = ids.filter { id in
            guard cachedRow(id) == nil, source.unsaved(objectKey(id)) == nil else { return false }
            return registeredObject(for: id)?.isFault != false
        }
        if !missing.isEmpty { _ = try readAhead { try $0.rows(missing) } }
        return ids
    }

    /// The object when it is in use here or has unsaved changes above: then its values are not the store's.
    private func visible(_ id: ManagedObjectID) -> ManagedObject? {
        if let object = registeredObject(for: id), object.state != .gone { return object }
        return source.unsaved(objectKey(id)) == nil ? nil : object(with: id)
    }

    private func objectKey(_ id: ManagedObjectID) -> ObjectKey {
        ObjectKey(rootIndex: schema.kind(of: id).rootIndex, id: id.uniqueID)
    }

    private func destination(of entity: Entity, _ slot: Int) -> ObjectKind? {
        entity.properties[slot].relationship.flatMap { schema.kind(named: $0.destination) }
    }
}
