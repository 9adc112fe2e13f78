import TributaryChanges
import TributaryModel
import TributaryStore

extension SavePlanner {
    /// Returns a link with positions for each ordered relationship with new or moved objects.
    ///
    /// `replacements` has the stored objects that take the values of new ones, because they have the same unique key.
    /// Such an object takes the place of the new one in lists, and in its own lists the objects of the new one come last.
    func orderChanges(
        _ plan: inout SavePlan,
        without dropped: Set<ObjectIdentifier>,
        _ replacements: [ObjectIdentifier: Row]
    ) throws -> [Change] {
        var changes: [Change] = []
        for key in context.pending.delta.orderedKeys.sorted(by: {
            ($0.id, $0.propertyIndex) < ($1.id, $1.propertyIndex)
        }) {
            guard let owner = context.relationships.owner(of: key), owner.state != .deleted, owner.state != .gone,
                let relationship = owner.descriptor.entity.properties[key.propertyIndex].relationship,
                relationship.isOrdered
            else { continue }
            let replacement = replacements[ObjectIdentifier(owner)]
            guard
                replacement?.entity.property(named: relationship.name) != nil
                    || !dropped.contains(ObjectIdentifier(owner))
            else { continue }
            let placed = try positions(key, owner, replacement, relationship, dropped, replacements)
            guard !placed.isEmpty else { continue }
            changes.append(
                Change(
                    entity: replacement?.entity.name ?? owner.descriptor.entity.name,
                    id: replacement?.id.uniqueID ?? owner.uniqueID,
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
        _ replacement: Row?,
        _ relationship: Relationship,
        _ dropped: Set<ObjectIdentifier>,
        _ replacements: [ObjectIdentifier: Row]
    ) throws -> [(id: ManagedObjectID, position: String)] {
        let stored = try reader.positions(
            of: replacement?.id.uniqueID ?? owner.uniqueID,
            entity: replacement?.entity ?? owner.descriptor.entity,
            propertyIndex: replacement?.entity.propertyIndex(named: relationship.name) ?? key.propertyIndex
        )
        let known =
            replacement == nil ? context.relationships.storedIDs(owner, key.propertyIndex) : stored.map(\.id)
        var seen: Set<ManagedObjectID> = []
        let wanted = ((replacement == nil ? [] : known) + context.relationships.relatedIDs(owner, key.propertyIndex))
            .compactMap { id -> ManagedObjectID? in
                guard let object = context.registeredObject(for: id) else { return id }
                if let replacement = replacements[ObjectIdentifier(object)] {
                    return known.contains(replacement.id) ? nil : replacement.id
                }
                let isLeftOut = object.state.isDeletion || dropped.contains(ObjectIdentifier(object))
                return isLeftOut ? nil : id
            }
            .filter { seen.insert($0).inserted }
        var positions = Dictionary(stored.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first })
        // Moves are found against the list that the context had read; objects that others have moved keep their new
        // position.
        let added = context.pending.delta[key].map { Set($0.added.keys) } ?? []
        var kept = RelationshipOrdering.unmoved(wanted, in: known)
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
