import TributaryChanges
import TributaryModel
import TributaryStore

struct SavePlanner {
    let context: ManagedObjectContext
    let reader: Reader
    var shadows: [UnhiddenShadow] = []

    /// `resolved` has the policies that `resolveConflict` has returned already.
    func plan(resolved: [ObjectIdentifier: MergePolicy]) throws -> SavePlan {
        var plan = SavePlan()
        plan.resolved = resolved
        plan.conflicts = context.mergePolicy == .error ? context.pending.lostConflicts : []
        // `resolveConflict` may change further objects; then the save is planned again.
        let objects = context.pending.objects
        let edits = context.pending.editCount
        let writes = try writes(of: objects, &plan)
        guard context.resolveConflict == nil || context.pending.editCount == edits else { return plan }
        let unique = try UniquenessPlanner(
            context: context,
            reader: reader,
            shadows: shadows,
            resolved: plan.resolved,
            objects: objects,
            writes: writes
        ).plan()
        var updates: [Change] = []
        var deletions: [Change] = []
        // These deletions come before the inserts of new objects with the same IDs.
        var formerDeletions: [Change] = []
        for object in objects {
            let write = writes[ObjectIdentifier(object)]
            let former = object.extras?.former
            if let former, let deletion = writes[ObjectIdentifier(former)] {
                adopt(deletion, of: former, &plan, &formerDeletions)
            }
            if let result = unique.results[ObjectIdentifier(object)] {
                plan.results.append((object, result))
            } else if object.state == .inserted, write?.result == nil {
                plan.changes.append(
                    change(object, .insert(SavePlan.writes(object, propertyIndexes: object.changed.propertyIndexes)))
                )
                plan.results.append((object, former == nil && showsWhatItWrites(object) ? .written : .reread))
            } else if let write {
                if write.isDeletion {
                    adopt(write, of: object, &plan, &deletions)
                } else {
                    adopt(write, of: object, &plan, &updates)
                }
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
        let orders = try orderChanges(&plan, without: dropped, unique.absorbing)
        plan.changes += updates + pairChanges(&plan, without: dropped, unique.absorbing) + orders + deletions
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
            // An object that refers to a replaced object is read again, because its row has another target.
            for index in plan.results.indices {
                if case .written = plan.results[index].result { plan.results[index].result = .reread }
            }
        }
        plan.unique = unique
        plan.removed = unique.removed
        guard !unique.touched.isEmpty else { return }
        let indices = plan.indices
        for (id, isDeleted) in unique.touched {
            guard let object = context.registeredObject(for: id) else { continue }
            if let index = indices[ObjectIdentifier(object)], plan.results[index].result.isDropped {
                plan.results[index].result = isDeleted ? .gone(isLost: true) : .reread
                continue
            }
            guard object.state == .clean else { continue }
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

    /// A new object has a write only when the policy keeps the stored object with its ID.
    private func writes(
        of objects: [ManagedObject],
        _ plan: inout SavePlan
    ) throws -> [ObjectIdentifier: ObjectWrite] {
        var writes: [ObjectIdentifier: ObjectWrite] = [:]
        for object in objects {
            switch object.state {
            case .inserted:
                guard let former = object.extras?.former else { continue }
                let deletion = try decideDeletion(of: former, &plan)
                writes[ObjectIdentifier(former)] = deletion
                if !deletion.isDeletion { writes[ObjectIdentifier(object)] = ObjectWrite(result: .gone(isLost: true)) }
            case .updated: writes[ObjectIdentifier(object)] = try decideUpdate(of: object, &plan)
            case .deleted: writes[ObjectIdentifier(object)] = try decideDeletion(of: object, &plan)
            case .clean, .gone, .detached: continue
            }
        }
        return writes
    }

    private func adopt(
        _ write: ObjectWrite,
        of object: ManagedObject,
        _ plan: inout SavePlan,
        _ changes: inout [Change]
    ) {
        if let change = write.change { changes.append(change) }
        if let result = write.result { plan.results.append((object, result)) }
        if write.isUnknownToUndo { plan.unknownToUndo.append(object) }
        if !write.kept.isEmpty { plan.kept[ObjectIdentifier(object)] = write.kept }
    }

    private func decideUpdate(of object: ManagedObject, _ plan: inout SavePlan) throws -> ObjectWrite {
        // An object that was only linked or unlinked has no register of its own to write.
        guard let cached = object.row, !object.changed.isEmpty else { return ObjectWrite(result: .written) }
        let current = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
        try checkVersion(of: object, current)
        guard let current, current.entity.name == cached.entity.name else {
            let conflict = MergeConflict(object, cached, nil, in: context)
            if try policy(for: object, conflict, &plan) == .error { plan.conflicts.append(conflict) }
            return ObjectWrite(result: .gone(isLost: true))
        }
        let linked = try linksElsewhere(of: object, &plan)
        guard current.revision != cached.revision || !linked.isEmpty else {
            return update(
                object,
                object.changed.propertyIndexes,
                over: current,
                showsWhatItWrites(object) ? .written : .reread
            )
        }
        let conflict = MergeConflict(object, cached, current, linked, in: context)
        let policy = try policy(for: object, conflict, &plan)
        // `resolveConflict` may have changed the object.
        let changed = object.changed.propertyIndexes
        switch policy {
        case .error:
            plan.conflicts.append(conflict)
            return ObjectWrite(indexes: changed, current: current)
        case .rollback: return ObjectWrite(result: .dropped(current))
        case .objectTrump: return update(object, changed, over: current, .reread)
        case .overwrite: return update(object, Array(object.values.indices), over: current, .reread)
        case .storeTrump:
            let written = changed.filter { propertyIndex in
                // Increments of several writers do not conflict: they add up.
                object.descriptor.properties.counters.contains(propertyIndex)
                    || cached.values[propertyIndex] == current.values[propertyIndex]
            }
            var write = update(object, written, over: current, .reread)
            write.kept = Set(changed).subtracting(written)
            return write
        }
    }

    private func update(
        _ object: ManagedObject,
        _ indexes: [Int],
        over current: Row,
        _ result: SavePlan.ObjectResult
    ) -> ObjectWrite {
        var write = ObjectWrite(result: result, indexes: indexes, current: current)
        let writes = SavePlan.writes(object, propertyIndexes: indexes)
        if !writes.isEmpty { write.change = change(object, .update(writes)) }
        return write
    }

    private func decideDeletion(of object: ManagedObject, _ plan: inout SavePlan) throws -> ObjectWrite {
        let current = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
        try checkVersion(of: object, current)
        var deletion = ObjectWrite(result: .gone(isLost: false), isDeletion: true)
        guard let current else {
            deletion.isUnknownToUndo = true
            return deletion
        }
        let linked = try linksElsewhere(of: object, &plan)
        if let cached = object.row, current.revision != cached.revision || !linked.isEmpty {
            let conflict = MergeConflict(object, cached, current, linked, in: context)
            switch try policy(for: object, conflict, &plan) {
            case .error:
                plan.conflicts.append(conflict)
                // Keys are compared as if the conflict were solved.
                return ObjectWrite(isDeletion: true)
            case .storeTrump, .rollback:
                return ObjectWrite(result: object.state == .deleted ? .dropped(current) : nil)
            case .objectTrump, .overwrite: break
            }
        }
        deletion.change = change(object, .delete)
        return deletion
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

    /// A link or unlink is dropped when the changes of either object are dropped; deletions need no unlinks.
    private func pairChanges(
        _ plan: inout SavePlan,
        without dropped: Set<ObjectIdentifier>,
        _ absorbing: [ObjectIdentifier: Row]
    ) -> [Change] {
        guard !context.pending.delta.isEmpty else { return [] }
        func isDropped(_ object: ManagedObject) -> Bool {
            dropped.contains(ObjectIdentifier(object)) && absorbing[ObjectIdentifier(object)] == nil
        }
        let hasDeletions = !context.pending.list.deletedRootIndexes.isEmpty
        func known(_ id: ManagedObjectID) -> ManagedObject? {
            dropped.isEmpty && !hasDeletions ? nil : context.registeredObject(for: id)
        }
        var changes: [Change] = []
        for object in context.pending.objects where !isDropped(object) {
            let absorber = absorbing[ObjectIdentifier(object)]
            for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
                guard case .relationship(let relationship, .links(_, ownsPairs: true)) = property,
                    absorber?.entity.property(named: relationship.name) != nil || absorber == nil,
                    let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)]
                else { continue }
                func add(_ ids: [UniqueID], to changes: inout [Change]) {
                    guard !ids.isEmpty, absorber == nil else { return }
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
                if let absorber { (change.entity, change.id) = (absorber.entity.name, absorber.uniqueID) }
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

struct ObjectWrite {
    var change: Change?
    /// Nil when the object refuses the save, or when the policy keeps a deleted object and a new object has its ID.
    var result: SavePlan.ObjectResult?
    var indexes: [Int] = []
    var current: Row?
    var isDeletion = false
    var isUnknownToUndo = false
    var kept: Set<Int> = []

    var isWritten: Bool {
        switch result {
        case nil, .written, .reread: true
        case .dropped, .gone: false
        }
    }
}

/// The changes that a save writes, and the results for its objects; nothing changes until the commit has succeeded.
struct SavePlan {
    enum ObjectResult {
        case written
        case reread
        case dropped(Row)
        case gone(isLost: Bool)

        var isDropped: Bool { if case .dropped = self { true } else { false } }
    }

    var changes: [Change] = []
    var unlinksOfDeleted: [Change] = []
    var results: [(object: ManagedObject, result: ObjectResult)] = []
    var rows: [ObjectIdentifier: Row] = [:]
    var conflicts: [MergeConflict] = []
    var unique = UniquenessPlan()
    var removed: Set<ManagedObjectID> = []
    /// Objects that others, rules or unique keys delete: the undo stack does not know these deletions.
    var unknownToUndo: [ManagedObject] = []
    var kept: [ObjectIdentifier: Set<Int>] = [:]
    var hasMoved: Bool?
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

    var hasLost: Bool {
        results.contains { object, result in
            switch result {
            case .written: false
            case .reread, .dropped, .gone: object.extras?.isUnsaved != true
            }
        }
    }
}
