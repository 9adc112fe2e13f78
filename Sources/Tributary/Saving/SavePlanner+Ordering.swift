import TributaryChanges
import TributaryModel
import TributaryStore

/// Computes positions for objects in ordered relationships, from the newest positions in the store.
extension SavePlanner {
    /// Returns a link with positions for each ordered relationship with new or moved objects.
    func orderChanges(_ plan: inout SavePlan, without dropped: Set<ObjectIdentifier>) throws
        -> [Change]
    {
        var changes: [Change] = []
        for key in context.pending.delta.orderedKeys.sorted(by: {
            ($0.id, $0.propertyIndex) < ($1.id, $1.propertyIndex)
        }) {
            guard let owner = context.relationships.owner(of: key), !dropped.contains(ObjectIdentifier(owner)),
                owner.state != .deleted,
                owner.state != .gone,
                let relationship = owner.descriptor.entity.properties[key.propertyIndex].relationship,
                relationship.isOrdered
            else { continue }
            let placed = try positions(key, owner, dropped)
            guard !placed.isEmpty else { continue }
            changes.append(
                Change(
                    entity: owner.descriptor.entity.name,
                    id: owner.uniqueID,
                    operation: .link(
                        to: relationship.name,
                        ids: placed.map(\.id.uniqueID),
                        positions: placed.map(\.position)
                    )
                )
            )
            guard case .relationship(_, .inverse) = owner.descriptor.entity.properties[key.propertyIndex] else {
                continue
            }
            // The link writes the registers of these objects once more.
            for case let object? in placed.map({ context.registeredObject(for: $0.id) }) where object.state == .clean {
                plan.results.append((object, .reread))
            }
        }
        return changes
    }

    private func positions(
        _ key: RelationshipDelta.Key,
        _ owner: ManagedObject,
        _ dropped: Set<ObjectIdentifier>
    ) throws -> [(id: ManagedObjectID, position: String)] {
        let wanted = context.relationships.relatedIDs(owner, key.propertyIndex).filter { id in
            guard let object = context.registeredObject(for: id) else { return true }
            return object.state != .deleted && object.state != .gone && !dropped.contains(ObjectIdentifier(object))
        }
        let stored = try reader.positions(
            of: owner.uniqueID,
            entity: owner.descriptor.entity,
            propertyIndex: key.propertyIndex
        )
        var positions = Dictionary(stored.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first })
        // Moves are found against the list that the context had read; objects that others have moved keep their new
        // position.
        let added = context.pending.delta[key].map { Set($0.added.keys) } ?? []
        var kept = RelationshipOrdering.unmoved(wanted, in: context.relationships.storedIDs(owner, key.propertyIndex))
            .filter {
                positions[$0] != nil
            }
        kept.subtract(added)
        let given = context.saving.request?.positions[key] ?? [:]
        guard !given.isEmpty else { return PositionPlan(wanted: wanted, positions: positions, kept: kept).positioned() }
        // An object with a given position keeps it; the others get positions in between.
        positions.merge(given) { $1 }
        kept = RelationshipOrdering.unmoved(wanted, in: wanted.ordered(by: positions)).subtracting(added).union(
            given.keys
        )
        let placed = PositionPlan(wanted: wanted, positions: positions, kept: kept).positioned()
        let moved = Set(placed.map(\.id))
        return placed + wanted.compactMap { id in given[id].flatMap { moved.contains(id) ? nil : (id, $0) } }
    }
}
