import TributaryChanges
import TributaryModel
import TributaryStore

extension SavePlanner {
    /// Adds an update for each derived attribute that the save changes, also of objects outside the save that depend on
    /// it.
    func derive(_ plan: inout SavePlan, without dropped: Set<ObjectIdentifier>) throws {
        let deriving = context.schema.derivingKinds
        guard !deriving.isEmpty else { return }
        let time = context.store.configuration.environment.wallTime()
        let derived = DerivedValues(
            context: context,
            reader: reader,
            now: .date(DateValue(time)),
            dropped: dropped
        )
        let changed = Set(
            context.pending.objects.filter { object in
                (object.state == .inserted || object.state == .updated) && !dropped.contains(ObjectIdentifier(object))
            }.map(\.objectID)
        )
        var concerned = changed
        for key in context.pending.delta.changes.keys {
            if let owner = context.relationships.owner(of: key) { concerned.insert(owner.objectID) }
        }
        for descriptor in deriving { concerned.formUnion(try dependents(of: descriptor, dropped)) }
        var indices = plan.indices
        for id in concerned.sorted(by: { $0.uniqueID < $1.uniqueID }) {
            guard let subject = try derived.subject(id), !subject.descriptor.properties.derivations.isEmpty else {
                continue
            }
            let writes = try derived.writes(for: subject, isChanged: changed.contains(id))
            guard !writes.isEmpty else { continue }
            plan.changes.append(
                Change(entity: subject.descriptor.entity.name, id: id.uniqueID, operation: .update(writes))
            )
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

    private func dependents(
        of descriptor: EntityDescriptor,
        _ dropped: Set<ObjectIdentifier>
    ) throws -> Set<ManagedObjectID> {
        var found: Set<ManagedObjectID> = []
        for (_, derivation) in descriptor.properties.derivations {
            guard let name = derivation.relationship, let propertyIndex = descriptor.propertyIndex(named: name),
                let relationship = descriptor.entity.properties[propertyIndex].relationship
            else { continue }
            for object in context.pending.objects
            where object.descriptor.entity.isKind(of: relationship.destination)
                && !dropped.contains(ObjectIdentifier(object))
            {
                if relationship.isToMany {
                    guard let (_, inverseIndex) = context.relationships.inverse(of: relationship) else {
                        // Objects that are linked or unlinked in this save have been found already.
                        found.formUnion(
                            try reader.owners(
                                of: object.uniqueID,
                                entity: descriptor.entity,
                                propertyIndex: propertyIndex
                            )
                        )
                        continue
                    }
                    found.formUnion(try owners(of: object, inverseIndex))
                } else {
                    let rows = try reader.holders(
                        of: [(propertyIndex, .reference(object.uniqueID))],
                        entity: descriptor.entity
                    )
                    found.formUnion(rows.map(\.id))
                }
            }
        }
        return found
    }

    private func owners(of object: ManagedObject, _ inverseIndex: Int) throws -> [ManagedObjectID] {
        if object.descriptor.entity.properties[inverseIndex].relationship?.isToMany == true {
            return context.relationships.relatedIDs(object, inverseIndex)
        }
        guard object.state != .deleted else { return [] }
        return relatedID(object, inverseIndex).map { [$0] } ?? []
    }

    private func relatedID(_ object: ManagedObject, _ propertyIndex: Int) -> ManagedObjectID? {
        object.relatedID(propertyIndex)
    }
}
