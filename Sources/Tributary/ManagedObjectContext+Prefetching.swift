import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Reads what lies at the end of relationships, one query for each step of a path, whatever the number of objects.
    ///
    /// To-many relationships know their objects then, and the objects' rows are in the row cache.
    func prefetch(_ keyPaths: [String], of objects: [ManagedObject], entity name: String) throws {
        for path in keyPaths {
            var entity = try kind(named: name).entity
            var owners = objects.filter { $0.state != .inserted && $0.state != .gone }.map(\.objectID)
            for component in path.split(separator: ".").map(String.init) {
                guard let slot = entity.slot(named: component) else {
                    throw ContextError.unknownProperty(entity: entity.name, property: component)
                }
                guard let relationship = entity.properties[slot].relationship else {
                    throw ContextError.wrongKind(entity: entity.name, property: component, expected: "a relationship")
                }
                owners = try prefetch(slot, of: entity, owners, isToMany: relationship.isToMany)
                entity = try kind(named: relationship.destination).entity
            }
        }
    }

    /// The IDs at the other end, each once.
    private func prefetch(
        _ slot: Int,
        of entity: Entity,
        _ owners: [ManagedObjectID],
        isToMany: Bool
    ) throws -> [ManagedObjectID] {
        guard !owners.isEmpty else { return [] }
        let ids = owners.map(\.uniqueID)
        let (related, number) = try read { reader in
            (try reader.relatedRows(of: ids, entity: entity, slot: slot), try reader.newestTransaction())
        }
        home.pipeline.rowCache.insert(related.map(\.row), readAt: number)
        if isToMany {
            var targets = [[ManagedObjectID]](repeating: [], count: owners.count)
            for (owner, row) in related { targets[owner].append(row.id) }
            for (id, targets) in zip(owners, targets) {
                registeredObject(for: id)?.makeExtras().related[slot] = targets
            }
        }
        var seen: Set<ManagedObjectID> = []
        return related.map(\.row.id).filter { seen.insert($0).inserted }
    }
}
