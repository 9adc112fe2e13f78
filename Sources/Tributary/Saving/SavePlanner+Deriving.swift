import TributaryChanges
import TributaryModel
import TributaryStore

extension SavePlanner {
    func derive(
        _ plan: inout SavePlan,
        without dropped: Set<ObjectIdentifier>,
        _ effects: DeletionEffects
    ) throws {
        guard !context.schema.derivingKinds.isEmpty else { return }
        let time = context.store.configuration.environment.wallTime()
        let derived = DerivedValues(
            context: context,
            reader: reader,
            now: .date(DateValue(time)),
            dropped: dropped,
            removed: plan.removed
        )
        let changed = Set(
            context.pending.objects.filter { object in
                (object.state == .inserted || object.state == .updated) && !dropped.contains(ObjectIdentifier(object))
            }.map(\.objectID) + effects.cleared.map(\.id)
        )
        var concerned = changed
        for key in context.pending.delta.changes.keys {
            if let owner = context.relationships.owner(of: key) { concerned.insert(owner.objectID) }
        }
        try addDependents(to: &concerned, dropped)
        for id in plan.removed { try addDependents(ofRemoved: id, to: &concerned) }
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
                // Without an inverse, objects that this save links or unlinks are among the changed objects.
                concerned.formUnion(
                    try dependency.owners(of: object.uniqueID, reader) { try owners(of: object, $0) }
                )
            }
        }
    }

    private func addDependents(ofRemoved id: ManagedObjectID, to concerned: inout Set<ManagedObjectID>) throws {
        guard let entity = context.schema.descriptor(named: id.entity)?.entity else { return }
        for dependency in context.schema.derivationDependencies
        where entity.isKind(of: dependency.relationship.destination) {
            concerned.formUnion(
                try dependency.owners(of: id.uniqueID, reader) {
                    try reader.related(to: id.uniqueID, entity: entity, propertyIndex: $0)
                }
            )
        }
    }

    private func owners(of object: ManagedObject, _ inverseIndex: Int) throws -> [ManagedObjectID] {
        if object.descriptor.entity.properties[inverseIndex].relationship?.isToMany == true {
            return context.relationships.relatedIDs(object, inverseIndex)
        }
        guard object.state != .deleted else { return [] }
        return object.relatedID(inverseIndex).map { [$0] } ?? []
    }
}
