import TributaryChanges
import TributaryModel
import TributaryStore

extension SavePlanner {
    /// Adds an update for each derived attribute that the save changes, also of objects outside the save.
    func derive(_ plan: inout SavePlan, without dropped: Set<ObjectIdentifier>) throws {
        guard !context.schema.derivingKinds.isEmpty else { return }
        let time = context.store.configuration.environment.wallTime()
        let derived = DerivedValues(context: context, reader: reader, now: .date(DateValue(time)), dropped: dropped)
        let changed = Set(
            context.pending.objects.filter { object in
                (object.state == .inserted || object.state == .updated) && !dropped.contains(ObjectIdentifier(object))
            }.map(\.objectID)
        )
        var concerned = changed
        for key in context.pending.delta.changes.keys {
            if let owner = context.relationships.owner(of: key) { concerned.insert(owner.objectID) }
        }
        try addDependents(to: &concerned, dropped)
        var indices = plan.indices
        for id in concerned.sorted(by: { $0.uniqueID < $1.uniqueID }) {
            guard let change = try derived.change(of: id, isChanged: changed.contains(id)) else { continue }
            plan.changes.append(change)
            reread(id, &plan, &indices)
        }
    }

    private func reread(_ id: ManagedObjectID, _ plan: inout SavePlan, _ indices: inout [ObjectIdentifier: Int]) {
        guard let object = context.registeredObject(for: id) else { return }
        if let index = indices[ObjectIdentifier(object)] {
            if case .written = plan.results[index].result { plan.results[index].result = .reread }
        } else if object.state == .clean {
            indices[ObjectIdentifier(object)] = plan.results.count
            plan.results.append((object, .reread))
        }
    }

    private func addDependents(to concerned: inout Set<ManagedObjectID>, _ dropped: Set<ObjectIdentifier>) throws {
        for dependency in context.schema.derivationDependencies {
            for object in context.pending.objects
            where object.descriptor.entity.isKind(of: dependency.relationship.destination)
                && !dropped.contains(ObjectIdentifier(object))
            {
                // Where there is no inverse, objects that this save links or unlinks are among the changed ones.
                concerned.formUnion(
                    try dependency.owners(of: object.uniqueID, reader) { try owners(of: object, $0) }
                )
            }
        }
    }

    private func owners(of object: ManagedObject, _ inverseIndex: Int) throws -> [ManagedObjectID] {
        if object.descriptor.entity.properties[inverseIndex].relationship?.isToMany == true {
            return context.relationships.relatedIDs(object, inverseIndex)
        }
        guard object.state != .deleted else { return [] }
        return object.relatedID(inverseIndex).map { [$0] } ?? []
    }

    /// Returns a link with positions for each ordered relationship with new or moved objects.
    ///
    /// A stored object that takes the values of a new one takes its place in lists. The lists of the stored object
    /// have the new one's objects behind their own.
    func orderChanges(
        _ plan: inout SavePlan,
        without dropped: Set<ObjectIdentifier>,
        _ heirs: [ObjectIdentifier: Row]
    ) throws -> [Change] {
        var changes: [Change] = []
        for key in context.pending.delta.orderedKeys.sorted(by: {
            ($0.id, $0.propertyIndex) < ($1.id, $1.propertyIndex)
        }) {
            guard let owner = context.relationships.owner(of: key), owner.state != .deleted, owner.state != .gone,
                let relationship = owner.descriptor.entity.properties[key.propertyIndex].relationship,
                relationship.isOrdered
            else { continue }
            let heir = heirs[ObjectIdentifier(owner)]
            guard heir?.entity.property(named: relationship.name) != nil || !dropped.contains(ObjectIdentifier(owner))
            else { continue }
            let placed = try positions(key, owner, heir, relationship, dropped, heirs)
            guard !placed.isEmpty else { continue }
            changes.append(
                Change(
                    entity: heir?.entity.name ?? owner.descriptor.entity.name,
                    id: heir?.id.uniqueID ?? owner.uniqueID,
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
        _ heir: Row?,
        _ relationship: Relationship,
        _ dropped: Set<ObjectIdentifier>,
        _ heirs: [ObjectIdentifier: Row]
    ) throws -> [(id: ManagedObjectID, position: String)] {
        let stored = try reader.positions(
            of: heir?.id.uniqueID ?? owner.uniqueID,
            entity: heir?.entity ?? owner.descriptor.entity,
            propertyIndex: heir?.entity.propertyIndex(named: relationship.name) ?? key.propertyIndex
        )
        let known =
            heir == nil ? context.relationships.storedIDs(owner, key.propertyIndex) : stored.map(\.id)
        var seen: Set<ManagedObjectID> = []
        let wanted = ((heir == nil ? [] : known) + context.relationships.relatedIDs(owner, key.propertyIndex))
            .compactMap { id -> ManagedObjectID? in
                guard let object = context.registeredObject(for: id) else { return id }
                if let heir = heirs[ObjectIdentifier(object)] { return known.contains(heir.id) ? nil : heir.id }
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
