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
            guard let owner = context.relationships.owner(of: key) else { continue }
            // A fault may be of an object that is gone.
            owner.fire()
            guard owner.state != .deleted, owner.state != .gone,
                let relationship = owner.descriptor.entity.properties[key.propertyIndex].relationship,
                relationship.isOrdered
            else { continue }
            let replacement = replacements[ObjectIdentifier(owner)]
            guard
                replacement?.entity.property(named: relationship.name) != nil || owner.row != nil
                    || !dropped.contains(ObjectIdentifier(owner))
            else { continue }
            let placed = try positions(key, owner, replacement, relationship, plan, dropped, replacements)
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
        _ plan: SavePlan,
        _ dropped: Set<ObjectIdentifier>,
        _ replacements: [ObjectIdentifier: Row]
    ) throws -> [(id: ManagedObjectID, position: String)] {
        let stored = try reader.positions(
            of: replacement?.id.uniqueID ?? owner.uniqueID,
            entity: replacement?.entity ?? owner.descriptor.entity,
            propertyIndex: replacement?.entity.propertyIndex(named: relationship.name) ?? key.propertyIndex
        )
        var positions = Dictionary(stored.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first })
        let known = stored.map(\.id)
        // The register at the other end: the relationship is derived from it.
        let register = context.relationships.inverse(of: relationship).flatMap { descriptor, index -> Int? in
            if case .relationship(_, .column) = descriptor.entity.properties[index] { index } else { nil }
        }
        // The policy leaves the object where it is stored.
        func isKept(_ id: ManagedObjectID) -> Bool {
            guard !dropped.isEmpty || !plan.kept.isEmpty, let object = context.registeredObject(for: id),
                replacements[ObjectIdentifier(object)] == nil
            else { return false }
            guard let register else { return dropped.contains(ObjectIdentifier(object)) }
            return (object.changed.contains(register) || object.state == .deleted)
                && (dropped.contains(ObjectIdentifier(object))
                    || plan.kept[ObjectIdentifier(object)]?.contains(register) ?? false)
        }
        // The context has taken the object out, also if others have added it since.
        func isTakenOut(_ object: ManagedObject) -> Bool {
            guard let register, object.changed.contains(register) else { return false }
            return object.values[register].referencedID != owner.uniqueID
        }
        let change = context.pending.delta[key]
        // An object that is gone in the context is there when others have inserted it again.
        let shown =
            context.relationships.relatedIDs(owner, key.propertyIndex, stored: known)
            + known.filter { context.registeredObject(for: $0) == nil && change?.removed.contains($0) != true }
        // The changes of an owner are dropped with its order; objects that were added to it come last.
        let ordering =
            replacement == nil && !dropped.contains(ObjectIdentifier(owner))
            ? context.pending.delta.orderings[key]?.keeping(isKept) : nil
        let added = change?.added ?? [:]
        // The context has moved these objects, and others have taken them out.
        let returning = (ordering?.ids ?? []).filter { id in
            guard let register, positions[id] == nil, added[id] == nil, !isKept(id),
                let object = context.registeredObject(for: id), !dropped.contains(ObjectIdentifier(object))
            else { return false }
            return object.changed.contains(register) && object.values[register].referencedID == owner.uniqueID
        }
        var seen: Set<ManagedObjectID> = []
        // The moves are applied to the newest list, which the context may not have read.
        var wanted =
            (replacement == nil
            ? members(of: known, shown, returning, change, ordering, isKept) : known + shown)
            .compactMap { id -> ManagedObjectID? in
                guard let object = context.registeredObject(for: id) else { return id }
                if let replacement = replacements[ObjectIdentifier(object)] {
                    return positions[replacement.id] != nil ? nil : replacement.id
                }
                let isLeftOut = isKept(id) ? positions[id] == nil : object.state.isDeletion || isTakenOut(object)
                return isLeftOut ? nil : id
            }
            .filter { seen.insert($0).inserted }
        let given = context.saving.request?.positions[key] ?? [:]
        guard !given.isEmpty else {
            let moved = ordering?.moved ?? []
            let kept = positions.filter { !moved.contains($0.key) && (added[$0.key] == nil || isKept($0.key)) }
            return PositionPlan(wanted: wanted, kept: kept).positioned()
        }
        // An object with a given position keeps it; objects without a position go to the end.
        positions.merge(given) { $1 }
        wanted = wanted.ordered(by: positions) + wanted.filter { positions[$0] == nil }
        return PositionPlan(wanted: wanted, kept: positions).positioned()
            + wanted.compactMap { id in given[id].map { (id, $0) } }
    }

    /// The objects that the relationship has after the save, in order.
    private func members(
        of known: [ManagedObjectID],
        _ shown: [ManagedObjectID],
        _ returning: [ManagedObjectID],
        _ change: RelationshipDelta.Change?,
        _ ordering: RelationshipOrdering?,
        _ isKept: (ManagedObjectID) -> Bool
    ) -> [ManagedObjectID] {
        let present = Set(shown)
        let stored = known.filter { isKept($0) || (present.contains($0) && change?.added[$0] == nil) }
        let list = stored + returning + (change?.addedInOrder ?? []).filter { present.contains($0) && !isKept($0) }
        return ordering?.ordering(list) ?? list
    }
}
