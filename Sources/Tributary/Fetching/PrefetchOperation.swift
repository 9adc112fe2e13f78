import TributaryChanges
import TributaryModel
import TributaryStore

struct PrefetchOperation {
    let context: ManagedObjectContext

    /// Costs at most two queries for each step of a path, whatever the number of objects.
    func prefetch(_ keyPaths: [String], of objects: [ManagedObject], entity name: String) throws {
        for path in keyPaths {
            var entity = try context.descriptor(named: name).entity
            var owners = objects.filter { $0.state != .gone && $0.state != .deleted }.map(\.objectID)
            for component in path.split(separator: ".").map(String.init) {
                guard let propertyIndex = entity.propertyIndex(named: component) else {
                    throw ContextError.unknownProperty(entity: entity.name, property: component)
                }
                guard case .relationship(let relationship, let storage) = entity.properties[propertyIndex] else {
                    throw ContextError.wrongKind(entity: entity.name, property: component, expected: "a relationship")
                }
                let destination = try context.descriptor(named: relationship.destination)
                if case .column = storage {
                    owners = try prefetchRegister(propertyIndex, of: entity, owners)
                } else {
                    owners = try prefetchDerived(propertyIndex, of: entity, owners, isToMany: relationship.isToMany)
                }
                entity = destination.entity
            }
        }
    }

    private func prefetchRegister(
        _ propertyIndex: Int,
        of entity: Entity,
        _ owners: [ManagedObjectID]
    ) throws -> [ManagedObjectID] {
        var ends = Ends()
        var unread: [UniqueID] = []
        for id in owners {
            if let object = visible(id) {
                if object.isFault, object.extras?.faultError == nil, context.reader.cachedRow(id) == nil,
                    context.above?.unsaved(object.key) == nil
                {
                    unread.append(id.uniqueID)
                } else if let target = object.relatedID(propertyIndex) {
                    ends.insert(target)
                }
            } else if let row = context.reader.cachedRow(id), row.values.indices.contains(propertyIndex) {
                if let target = row.values[propertyIndex].referencedID,
                    let descriptor = destination(of: entity, propertyIndex)
                {
                    ends.insert(descriptor.objectID(target))
                }
            } else {
                unread.append(id.uniqueID)
            }
        }
        if !unread.isEmpty {
            let rows = try context.reader.readAhead {
                try $0.relatedRows(of: unread, entity: entity, propertyIndex: propertyIndex).map(\.row)
            }
            for row in rows { ends.insert(row.id) }
        }
        return try readMissing(ends.ids)
    }

    private func prefetchDerived(
        _ propertyIndex: Int,
        of entity: Entity,
        _ owners: [ManagedObjectID],
        isToMany: Bool
    ) throws -> [ManagedObjectID] {
        let asked = owners.filter { id in
            context.registeredObject(for: id)?.state != .inserted
                && context.above?.unsaved(objectKey(id))?.isInserted != true
        }
        var targets = [[ManagedObjectID]](repeating: [], count: asked.count)
        if !asked.isEmpty {
            let ids = asked.map(\.uniqueID)
            var pairs: [(owner: Int, row: Row)] = []
            _ = try context.reader.readAhead { reader in
                pairs = try reader.relatedRows(of: ids, entity: entity, propertyIndex: propertyIndex)
                return pairs.map(\.row)
            }
            for (owner, row) in pairs { targets[owner].append(row.id) }
        }
        for (id, stored) in zip(asked, targets) {
            let key = relationshipKey(id, propertyIndex)
            let ids = context.above?.related(stored, at: key) ?? stored
            context.reader.keep(ids, at: key)
            if let object = context.registeredObject(for: id) {
                context.registry.keep(ids, at: propertyIndex, of: object)
            }
        }
        var ends = Ends()
        for id in owners {
            if let object = visible(id) {
                for target in context.relationships.relatedIDs(object, propertyIndex) { ends.insert(target) }
            } else {
                let known = context.reader.prefetchedIDs(at: relationshipKey(id, propertyIndex)) ?? []
                for target in known { ends.insert(target) }
            }
        }
        return try readMissing(ends.ids)
    }

    private struct Ends {
        private(set) var ids: [ManagedObjectID] = []
        private var seen: Set<ManagedObjectID> = []

        mutating func insert(_ id: ManagedObjectID) {
            if seen.insert(id).inserted { ids.append(id) }
        }
    }

    private func readMissing(_ ids: [ManagedObjectID]) throws -> [ManagedObjectID] {
        let missing = ids.filter { id in
            guard context.reader.cachedRow(id) == nil, context.above?.unsaved(objectKey(id)) == nil else {
                return false
            }
            return context.registeredObject(for: id)?.isFault != false
        }
        if !missing.isEmpty { _ = try context.reader.readAhead { try $0.rows(missing) } }
        return ids
    }

    private func visible(_ id: ManagedObjectID) -> ManagedObject? {
        if let object = context.registeredObject(for: id), object.state != .gone { return object }
        return context.above?.unsaved(objectKey(id)) == nil ? nil : context.object(with: id)
    }

    private func objectKey(_ id: ManagedObjectID) -> ObjectKey {
        ObjectKey(rootIndex: context.schema.descriptor(of: id).rootIndex, id: id.uniqueID)
    }

    private func relationshipKey(_ id: ManagedObjectID, _ propertyIndex: Int) -> RelationshipDelta.Key {
        RelationshipDelta.Key(context.schema.descriptor(of: id), id.uniqueID, propertyIndex)
    }

    private func destination(of entity: Entity, _ propertyIndex: Int) -> EntityDescriptor? {
        entity.properties[propertyIndex].relationship.flatMap { context.schema.descriptor(named: $0.destination) }
    }
}
