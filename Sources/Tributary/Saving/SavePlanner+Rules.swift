import TributaryChanges
import TributaryModel
import TributaryStore

/// Validation has checked these rules in the context, but others may have changed the store since.
extension SavePlanner {
    /// Costs a look at each change, and the queries of ``PlannedState``; without deletions it costs nothing if the model
    /// has no such rules, or if nobody has written since the generation that the context shows.
    func applyRules(to plan: inout SavePlan) throws -> DeletionEffects {
        let hasDeletions = plan.changes.contains { if case .delete = $0.operation { true } else { false } }
        guard try hasDeletions || (context.schema.hasReferenceRules && hasMoved(&plan)) else {
            return DeletionEffects()
        }
        let changes = plan.changes + plan.unlinksOfDeleted
        var state = PlannedState(changes, over: reader, hasBounds: context.schema.hasBounds)
        let effects = try state.followDeleteRules()
        try SaveValidation(context: context).throwIfAny(failures(effects, state))
        plan.removed.formUnion(effects.deleted)
        guard !effects.deleted.isEmpty || !effects.cleared.isEmpty else { return effects }
        var indices = plan.indices
        for id in effects.deleted {
            plan.changes.append(Change(entity: id.entity, id: id.uniqueID, operation: .delete))
            if let object = context.registeredObject(for: id), object.state != .deleted {
                plan.unknownToUndo.append(object)
            }
            set(id, &plan, &indices) { object, _ in .gone(isLost: object.isDirty && object.state != .deleted) }
        }
        for (id, propertyIndex, _) in effects.cleared {
            guard let name = context.schema.descriptor(named: id.entity)?.entity.properties[propertyIndex].name else {
                continue
            }
            let write = PropertyWrite(name: name, value: .null)
            plan.changes.append(Change(entity: id.entity, id: id.uniqueID, operation: .update([write])))
            set(id, &plan, &indices) { object, known in
                switch known {
                case .written, .dropped, .reread: .reread
                case .gone: known
                case nil: object.values.isEmpty ? nil : .reread
                }
            }
        }
        return effects
    }

    private func failures(_ effects: DeletionEffects, _ state: PlannedState) throws -> [ValidationFailure] {
        var failures = effects.denials.map { denial in
            ValidationFailure(denying: denial.id, denial.relationship.name, others: denial.others.count)
        }
        for (id, propertyIndex, target) in effects.cleared {
            let entity = context.schema.descriptor(named: id.entity)?.entity
            guard let relationship = entity?.properties[propertyIndex].relationship, !relationship.isOptional else {
                continue
            }
            let message = "is mandatory, and the save deletes its object \(target)"
            failures.append(
                ValidationFailure(objectID: id, property: relationship.name, rule: .missing, message: message)
            )
        }
        for (id, property, target) in try state.missingTargets() {
            failures.append(ValidationFailure(id, property, without: target))
        }
        guard context.schema.hasBounds else { return failures }
        failures += try state.counts().compactMap { id, relationship, count in
            ValidationFailure(id, relationship, count: count)
        }
        return failures
    }

    private func set(
        _ id: ManagedObjectID,
        _ plan: inout SavePlan,
        _ indices: inout [ObjectIdentifier: Int],
        to result: (ManagedObject, _ known: SavePlan.ObjectResult?) -> SavePlan.ObjectResult?
    ) {
        guard let object = context.registeredObject(for: id) else { return }
        if let index = indices[ObjectIdentifier(object)] {
            if let result = result(object, plan.results[index].result) { plan.results[index].result = result }
        } else if object.state == .clean, let result = result(object, nil) {
            indices[ObjectIdentifier(object)] = plan.results.count
            plan.results.append((object, result))
        }
    }

    /// A context that reads the newest state may have read some of it earlier, so the result is true.
    private func hasMoved(_ plan: inout SavePlan) throws -> Bool {
        if let known = plan.hasMoved { return known }
        let hasMoved = try context.generation.map { try reader.history.newestTransaction() > $0.number } ?? true
        plan.hasMoved = hasMoved
        return hasMoved
    }

    /// The to-many relationships that have got objects from others since the context read them.
    ///
    /// Costs a look at each object in these relationships, when the store has moved and the merge policy needs the
    /// answer.
    func linksElsewhere(of object: ManagedObject, _ plan: inout SavePlan) throws -> Set<String> {
        switch context.mergePolicy {
        case .error, .rollback: break
        case .storeTrump where object.state.isDeletion: break
        case .objectTrump, .overwrite, .storeTrump: if context.resolveConflict == nil { return [] }
        }
        var names: Set<String> = []
        let entity = object.descriptor.entity
        for (propertyIndex, property) in entity.properties.enumerated() {
            guard let relationship = property.relationship, relationship.isToMany,
                context.generation != nil || object.extras?.related[propertyIndex] != nil, try hasMoved(&plan)
            else { continue }
            let known = Set(context.relationships.storedIDs(object, propertyIndex))
            let newest = try reader.related(to: object.uniqueID, entity: entity, propertyIndex: propertyIndex)
            if newest.contains(where: { !known.contains($0) }) { names.insert(relationship.name) }
        }
        return names
    }
}

extension ValidationFailure {
    init(denying id: ManagedObjectID, _ relationship: String, others count: Int) {
        let others = count == 1 ? "1 other object refers" : "\(count) other objects refer"
        let message = "must not be deleted while \(others) to it"
        self.init(objectID: id, property: relationship, rule: .denied, message: message)
    }

    init(_ id: ManagedObjectID, _ relationship: String, without target: ManagedObjectID) {
        let message = "is mandatory, and \(target) no longer exists: set another object"
        self.init(objectID: id, property: relationship, rule: .missing, message: message)
    }

    init?(_ id: ManagedObjectID, _ relationship: Relationship, count: Int) {
        let objects = "has \(count) object\(count == 1 ? "" : "s")"
        func failure(_ rule: Rule, _ message: String, limit: Int?) -> ValidationFailure {
            var failure = ValidationFailure(objectID: id, property: relationship.name, rule: rule, message: message)
            guard let limit else { return failure }
            (failure.value, failure.limit) = (.integer(Int64(count)), .integer(Int64(limit)))
            return failure
        }
        guard relationship.isToMany else {
            guard !relationship.isOptional, count == 0 else { return nil }
            self = failure(.missing, "is mandatory and has no object", limit: nil)
            return
        }
        // An optional relationship may be empty.
        let least = relationship.isOptional && count == 0 ? 0 : relationship.minimumCount
        if count < least {
            self = failure(count == 0 ? .missing : .tooFew, "\(objects), fewer than \(least)", limit: least)
        } else if relationship.maximumCount > 1, count > relationship.maximumCount {
            let most = relationship.maximumCount
            self = failure(.tooMany, "\(objects), more than \(most)", limit: most)
        } else {
            return nil
        }
    }
}
