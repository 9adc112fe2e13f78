import TributaryChanges
import TributaryModel
import TributaryStore

struct SavePlanner {
    let context: ManagedObjectContext
    let reader: Reader
    var shadows: [RevealedShadow] = []

    /// `resolved` has the policies that `resolveConflict` has returned already; the plan has these and the new ones.
    ///
    /// It throws ``ConflictError`` under the policy `error`, ``ChangeError`` when a version that a request named has
    /// moved.
    func plan(resolved: [ObjectIdentifier: MergePolicy]) throws -> SavePlan {
        var plan = SavePlan()
        plan.resolved = resolved
        plan.conflicts = context.mergePolicy == .error ? context.pending.lostConflicts : []
        var updates: [Change] = []
        var deletions: [Change] = []
        let unique = try UniquenessPlanner(context: context, reader: reader, shadows: shadows).plan()
        for object in context.pending.objects {
            if let result = unique.results[ObjectIdentifier(object)] {
                plan.results.append((object, result))
                continue
            }
            switch object.state {
            case .inserted:
                plan.changes.append(
                    change(
                        object,
                        .insert(SavePlan.writes(object, propertyIndexes: object.values.indices, isInsert: true))
                    )
                )
                plan.results.append((object, showsWhatItWrites(object) ? .written : .reread))
            case .updated: try planUpdate(of: object, &plan, &updates)
            case .deleted: try planDeletion(of: object, &plan, &deletions)
            case .clean, .gone, .detached: break
            }
        }
        guard plan.conflicts.isEmpty, unique.conflicts.isEmpty else {
            throw ConflictError(conflicts: plan.conflicts, constraintConflicts: unique.conflicts)
        }
        let dropped = Set(
            plan.results.compactMap { item -> ObjectIdentifier? in
                switch item.result {
                case .dropped, .gone(isLost: true): ObjectIdentifier(item.object)
                case .written, .reread, .gone: nil
                }
            }
        )
        let orders = try orderChanges(&plan, without: dropped, unique.heirs)
        plan.changes += updates + pairChanges(without: dropped, unique.heirs) + orders + deletions
        try derive(&plan, without: dropped)
        add(unique, &plan)
        return plan
    }

    private func add(_ unique: UniquenessPlan, _ plan: inout SavePlan) {
        plan.changes = unique.deletions + plan.changes + unique.updates
        if !unique.replacements.isEmpty {
            plan.changes = plan.changes.map { change in
                context.schema.descriptor(named: change.entity).map {
                    unique.redirected(change, $0.entity, in: context.schema.model)
                } ?? change
            }
            // An object that refers to a replaced one is read again, because its row has another target.
            for index in plan.results.indices {
                if case .written = plan.results[index].result { plan.results[index].result = .reread }
            }
        }
        plan.unique = unique
        for (id, isDeleted) in unique.touched {
            guard let object = context.registeredObject(for: id), object.state == .clean else { continue }
            plan.results.append((object, isDeleted ? .gone(isLost: false) : .reread))
        }
    }

    private func change(_ object: ManagedObject, _ operation: Change.Operation) -> Change {
        Change(entity: object.descriptor.entity.name, id: object.uniqueID, operation: operation)
    }

    private func showsWhatItWrites(_ object: ManagedObject) -> Bool {
        object.descriptor.keepsWrittenValues && !context.relationships.refersToMissing(object)
    }

    private func planUpdate(of object: ManagedObject, _ plan: inout SavePlan, _ updates: inout [Change]) throws {
        // An object that was only linked or unlinked has no register of its own to write.
        guard let cached = object.row, !object.changed.isEmpty else {
            return plan.results.append((object, .written))
        }
        let current = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
        try checkVersion(of: object, current)
        let propertyIndexes = object.changed.propertyIndexes
        guard let current, current.entity.name == cached.entity.name else {
            let conflict = MergeConflict(object, cached, nil, in: context)
            if try policy(for: object, conflict, &plan) == .error { plan.conflicts.append(conflict) }
            return plan.results.append((object, .gone(isLost: true)))
        }
        guard current.revision != cached.revision else {
            updates.append(
                change(object, .update(SavePlan.writes(object, propertyIndexes: propertyIndexes, isInsert: false)))
            )
            return plan.results.append((object, showsWhatItWrites(object) ? .written : .reread))
        }
        let policy = try policy(for: object, MergeConflict(object, cached, current, in: context), &plan)
        switch policy {
        case .error: plan.conflicts.append(MergeConflict(object, cached, current, in: context))
        case .rollback: plan.results.append((object, .dropped(current)))
        case .objectTrump, .storeTrump, .overwrite:
            // `resolveConflict` may have changed the object.
            let propertyIndexes = object.changed.propertyIndexes
            let written: [Int] =
                switch policy {
                case .overwrite: Array(object.values.indices)
                case .storeTrump: propertyIndexes.filter { cached.values[$0] == current.values[$0] }
                default: propertyIndexes
                }
            let writes = SavePlan.writes(object, propertyIndexes: written, isInsert: false)
            if !writes.isEmpty { updates.append(change(object, .update(writes))) }
            plan.results.append((object, .reread))
        }
    }

    private func planDeletion(
        of object: ManagedObject,
        _ plan: inout SavePlan,
        _ deletions: inout [Change]
    ) throws {
        let current = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
        try checkVersion(of: object, current)
        // An object that was also deleted elsewhere is gone without a change to write.
        guard let current else { return plan.results.append((object, .gone(isLost: false))) }
        if let cached = object.row, current.revision != cached.revision {
            switch try policy(for: object, MergeConflict(object, cached, current, in: context), &plan) {
            case .error: return plan.conflicts.append(MergeConflict(object, cached, current, in: context))
            case .storeTrump, .rollback: return plan.results.append((object, .dropped(current)))
            case .objectTrump, .overwrite: break
            }
        }
        deletions.append(change(object, .delete))
        plan.results.append((object, .gone(isLost: false)))
    }

    private func policy(
        for object: ManagedObject,
        _ conflict: MergeConflict,
        _ plan: inout SavePlan
    ) throws -> MergePolicy {
        guard let resolveConflict = context.resolveConflict else { return context.mergePolicy }
        if let known = plan.resolved[ObjectIdentifier(object)] { return known }
        let policy = try resolveConflict(object, conflict) ?? context.mergePolicy
        plan.resolved[ObjectIdentifier(object)] = policy
        return policy
    }

    private func checkVersion(of object: ManagedObject, _ current: Row?) throws {
        guard let terms = context.saving.request, let expected = terms.versions[object.objectID],
            current?.revision != expected
        else {
            return
        }
        throw ChangeError(
            index: terms.indices[object.objectID] ?? 0,
            reason: .versionMoved(object.objectID, expected: expected, found: current?.revision)
        )
    }

    /// Returns links and unlinks of relationships that are stored as pairs, from the side that owns them.
    private func pairChanges(without dropped: Set<ObjectIdentifier>, _ heirs: [ObjectIdentifier: Row]) -> [Change] {
        guard !context.pending.delta.isEmpty else { return [] }
        var changes: [Change] = []
        for object in context.pending.objects {
            let heir = heirs[ObjectIdentifier(object)]
            guard heir != nil || !dropped.contains(ObjectIdentifier(object)) else { continue }
            for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
                guard case .relationship(let relationship, .links(_, ownsPairs: true)) = property,
                    heir?.entity.property(named: relationship.name) != nil || heir == nil,
                    let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)]
                else { continue }
                let removed = difference.removed.map(\.uniqueID).sorted()
                if !removed.isEmpty, heir == nil {
                    changes.append(change(object, .unlink(to: relationship.name, ids: removed)))
                }
                let added = difference.addedInOrder.map(\.uniqueID)
                guard !added.isEmpty else { continue }
                // An ordered relationship is linked with its positions, from the side that has the order.
                guard !isOrdered(relationship) else { continue }
                var change = change(object, .link(to: relationship.name, ids: added, positions: nil))
                if let heir { (change.entity, change.id) = (heir.entity.name, heir.id.uniqueID) }
                changes.append(change)
            }
        }
        return changes
    }

    private func isOrdered(_ relationship: Relationship) -> Bool {
        guard !relationship.isOrdered, let (descriptor, propertyIndex) = context.relationships.inverse(of: relationship)
        else {
            return relationship.isOrdered
        }
        return descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true
    }
}

/// The changes that a save writes, and the result of each object after the write.
///
/// It is made under the write lock and changes nothing until the commit has succeeded.
struct SavePlan {
    enum ObjectResult {
        case written
        /// The row is read again, because others changed it, or the store computes some values.
        case reread
        /// The object's changes are dropped, and it gets the row's values.
        case dropped(Row)
        /// The object is gone; `isLost` is true when it was deleted elsewhere, and its changes are lost.
        case gone(isLost: Bool)
    }

    var changes: [Change] = []
    var results: [(object: ManagedObject, result: ObjectResult)] = []
    var rows: [ObjectIdentifier: Row] = [:]
    var conflicts: [MergeConflict] = []
    var unique = UniquenessPlan()
    /// `resolveConflict` is called once for each object in a save.
    var resolved: [ObjectIdentifier: MergePolicy] = [:]

    var indices: [ObjectIdentifier: Int] {
        Dictionary(
            results.enumerated().map { (ObjectIdentifier($1.object), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    static func writes(_ object: ManagedObject, propertyIndexes: some Sequence<Int>, isInsert: Bool) -> [PropertyWrite]
    {
        var writes: [PropertyWrite] = []
        writes.reserveCapacity(propertyIndexes.underestimatedCount)
        for propertyIndex in propertyIndexes {
            if let write = write(object, propertyIndex, isInsert: isInsert) { writes.append(write) }
        }
        return writes
    }

    private static func write(_ object: ManagedObject, _ propertyIndex: Int, isInsert: Bool) -> PropertyWrite? {
        let property = object.descriptor.entity.properties[propertyIndex]
        let value = object.values[propertyIndex]
        guard let attribute = property.attribute, attribute.mergeRule == .counter else {
            return property.write(from: .null, to: value)
        }
        let before = isInsert ? nil : object.row?.values[propertyIndex]
        let terms = object.managedObjectContext?.saving.request
        guard let given = terms?.increments[RelationshipDelta.Key(object, propertyIndex)], given.shown == value
        else { return property.write(from: before ?? .null, to: value) }
        // An assignment before the increments counts as one more.
        let assigned = attribute.increment(from: before ?? .null, to: given.before)?.value["increment"]
        let sum = CounterTotals.sum(assigned.flatMap(CounterTotals.number), given.sum)
        guard sum != .integer(0), sum != .double(0) else { return nil }
        return PropertyWrite(name: attribute.name, value: .increment(sum.json))
    }

    /// Whether a change by others has replaced the context's state of a stored object.
    var hasLost: Bool {
        results.contains { object, result in
            switch result {
            case .written: false
            case .reread, .dropped, .gone: object.extras?.isUnsaved != true
            }
        }
    }
}

extension JSONValue {
    /// The value of a write that adds to a counter.
    static func increment(_ amount: JSONValue) -> JSONValue {
        .object([JSONMember(key: "increment", value: amount)])
    }
}
