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
        // These deletions come before the inserts of new objects with the same IDs.
        var formerDeletions: [Change] = []
        let unique = try UniquenessPlanner(context: context, reader: reader, shadows: shadows).plan()
        for object in context.pending.objects {
            if let result = unique.results[ObjectIdentifier(object)] {
                plan.results.append((object, result))
                if let former = object.extras?.former { try planDeletion(of: former, &plan, &formerDeletions) }
                continue
            }
            switch object.state {
            case .inserted:
                let former = object.extras?.former
                if let former, try !planDeletion(of: former, &plan, &formerDeletions) {
                    plan.results.append((object, .gone(isLost: true)))
                    continue
                }
                #if MUTATIONS
                    if Mutation.isOn(.insertWritesEverything) { object.setAllProperties() }
                #endif
                plan.changes.append(
                    change(
                        object,
                        .insert(SavePlan.writes(object, propertyIndexes: object.changed.propertyIndexes))
                    )
                )
                let isWritten = former == nil && showsWhatItWrites(object)
                plan.results.append((object, isWritten ? .written : .reread))
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
        plan.changes += updates + pairChanges(&plan, without: dropped, unique.heirs) + orders + deletions
        add(unique, &plan)
        plan.changes = formerDeletions + plan.changes
        let effects = try applyRules(to: &plan)
        try derive(&plan, without: dropped, effects)
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
        plan.removed = Set(unique.touched.lazy.filter(\.isDeleted).map(\.id))
        for (id, isDeleted) in unique.touched {
            guard let object = context.registeredObject(for: id), object.state == .clean else { continue }
            if isDeleted { plan.unknownToUndo.append(object) }
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
        let linked = try linksElsewhere(of: object, &plan)
        #if MUTATIONS
            let isUnnoticed = Mutation.isOn(.conflictNotNoticed)
        #else
            let isUnnoticed = false
        #endif
        guard current.revision != cached.revision || !linked.isEmpty, !isUnnoticed else {
            updates.append(
                change(object, .update(SavePlan.writes(object, propertyIndexes: propertyIndexes)))
            )
            return plan.results.append((object, showsWhatItWrites(object) ? .written : .reread))
        }
        let conflict = MergeConflict(object, cached, current, linked, in: context)
        #if MUTATIONS
            var policy = try policy(for: object, conflict, &plan)
            if Mutation.isOn(.overwriteKeepsOthers), policy == .overwrite { policy = .objectTrump }
            if Mutation.isOn(.storeTrumpLoses), policy == .storeTrump { policy = .objectTrump }
        #else
            let policy = try policy(for: object, conflict, &plan)
        #endif
        switch policy {
        case .error: plan.conflicts.append(conflict)
        case .rollback: plan.results.append((object, .dropped(current)))
        case .objectTrump, .storeTrump, .overwrite:
            // `resolveConflict` may have changed the object.
            let propertyIndexes = object.changed.propertyIndexes
            let written: [Int] =
                switch policy {
                case .overwrite: Array(object.values.indices)
                case .storeTrump:
                    propertyIndexes.filter { propertyIndex in
                        // Increments of several writers do not conflict: they add up.
                        object.descriptor.properties.counters.contains(propertyIndex)
                            || cached.values[propertyIndex] == current.values[propertyIndex]
                    }
                default: propertyIndexes
                }
            if policy == .storeTrump { plan.kept[ObjectIdentifier(object)] = Set(propertyIndexes).subtracting(written) }
            let writes = SavePlan.writes(object, propertyIndexes: written)
            if !writes.isEmpty { updates.append(change(object, .update(writes))) }
            plan.results.append((object, .reread))
        }
    }

    /// Returns false when the object is not deleted, because of a conflict.
    @discardableResult
    private func planDeletion(
        of object: ManagedObject,
        _ plan: inout SavePlan,
        _ deletions: inout [Change]
    ) throws -> Bool {
        let current = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
        try checkVersion(of: object, current)
        // An object that was also deleted elsewhere is gone without a change to write.
        guard let current else {
            plan.results.append((object, .gone(isLost: false)))
            plan.unknownToUndo.append(object)
            return true
        }
        let linked = try linksElsewhere(of: object, &plan)
        if let cached = object.row, current.revision != cached.revision || !linked.isEmpty {
            let conflict = MergeConflict(object, cached, current, linked, in: context)
            switch try policy(for: object, conflict, &plan) {
            case .error:
                plan.conflicts.append(conflict)
                return false
            case .storeTrump, .rollback:
                if object.state == .deleted { plan.results.append((object, .dropped(current))) }
                return false
            case .objectTrump, .overwrite: break
            }
        }
        deletions.append(change(object, .delete))
        plan.results.append((object, .gone(isLost: false)))
        return true
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
    ///
    /// A pair belongs to both objects: with the changes of one of them its link or unlink is dropped, and a deletion
    /// removes the pairs of its object without an unlink.
    private func pairChanges(
        _ plan: inout SavePlan,
        without dropped: Set<ObjectIdentifier>,
        _ heirs: [ObjectIdentifier: Row]
    ) -> [Change] {
        guard !context.pending.delta.isEmpty else { return [] }
        func isDropped(_ object: ManagedObject) -> Bool {
            dropped.contains(ObjectIdentifier(object)) && heirs[ObjectIdentifier(object)] == nil
        }
        let hasDeletions = !context.pending.list.deletedRootIndexes.isEmpty
        func known(_ id: ManagedObjectID) -> ManagedObject? {
            dropped.isEmpty && !hasDeletions ? nil : context.registeredObject(for: id)
        }
        var changes: [Change] = []
        for object in context.pending.objects where !isDropped(object) {
            let heir = heirs[ObjectIdentifier(object)]
            for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
                guard case .relationship(let relationship, .links(_, ownsPairs: true)) = property,
                    heir?.entity.property(named: relationship.name) != nil || heir == nil,
                    let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)]
                else { continue }
                func add(_ ids: [UniqueID], to changes: inout [Change]) {
                    guard !ids.isEmpty, heir == nil else { return }
                    changes.append(self.change(object, .unlink(to: relationship.name, ids: ids.sorted())))
                }
                let removed = difference.removed.filter { known($0).map { !isDropped($0) } ?? true }
                let isDeleted = object.state == .deleted
                let written = isDeleted ? [] : removed.filter { known($0)?.state != .deleted }
                add(written.map(\.uniqueID), to: &changes)
                add(removed.subtracting(written).map(\.uniqueID), to: &plan.unlinksOfDeleted)
                // An ordered relationship is linked with its positions, from the side that has the order.
                guard !isDeleted, !isOrdered(relationship) else { continue }
                let added = difference.addedInOrder.filter {
                    known($0).map { $0.state != .deleted && !isDropped($0) } ?? true
                }
                guard !added.isEmpty else { continue }
                var change = change(object, .link(to: relationship.name, ids: added.map(\.uniqueID), positions: nil))
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
    /// Unlinks from deleted objects, which are not written; the delete rules do not follow these pairs.
    var unlinksOfDeleted: [Change] = []
    var results: [(object: ManagedObject, result: ObjectResult)] = []
    var rows: [ObjectIdentifier: Row] = [:]
    var conflicts: [MergeConflict] = []
    var unique = UniquenessPlan()
    /// The objects that the save deletes, without the objects that the context has deleted.
    var removed: Set<ManagedObjectID> = []
    /// The objects that others have deleted, or that the save deletes by its rules or for a unique key: an undo does not know
    /// them.
    var unknownToUndo: [ManagedObject] = []
    /// The changed properties that keep their stored values under the policy.
    var kept: [ObjectIdentifier: Set<Int>] = [:]
    /// Whether others may have written since the state that the context shows; nil until the plan asks.
    var hasMoved: Bool?
    /// `resolveConflict` is called once for each object in a save.
    var resolved: [ObjectIdentifier: MergePolicy] = [:]

    var indices: [ObjectIdentifier: Int] {
        Dictionary(
            results.enumerated().map { (ObjectIdentifier($1.object), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    static func writes(_ object: ManagedObject, propertyIndexes: some Sequence<Int>) -> [PropertyWrite] {
        var writes: [PropertyWrite] = []
        writes.reserveCapacity(propertyIndexes.underestimatedCount)
        for propertyIndex in propertyIndexes {
            let property = object.descriptor.entity.properties[propertyIndex]
            let write =
                object.descriptor.properties.counters.contains(propertyIndex)
                ? property.attribute?.increment(by: object.countedAmount(propertyIndex))
                : property.write(from: .null, to: object.values[propertyIndex])
            if let write { writes.append(write) }
        }
        return writes
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
