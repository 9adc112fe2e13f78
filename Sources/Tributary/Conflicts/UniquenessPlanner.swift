import TributaryChanges
import TributaryModel
import TributaryStore

struct UniquenessPlanner {
    let context: ManagedObjectContext
    let reader: Reader
    let shadows: [UnhiddenShadow]
    let resolved: [ObjectIdentifier: MergePolicy]
    let objects: [ManagedObject]
    let writes: [ObjectIdentifier: ObjectWrite]

    /// Dropped objects keep their stored keys, so all keys are compared again after each round that drops objects.
    ///
    /// Costs a query for each written key in each round; there is at most one round more than dropped objects.
    func plan() throws -> UniquenessPlan {
        var plan = UniquenessPlan()
        while true {
            let dropped = plan.results.filter(\.value.isDropped)
            plan = UniquenessPlan(results: dropped)
            var holders: [UniqueKey: ManagedObject] = [:]
            for object in objects where object.state == .inserted || object.state == .updated {
                guard writes[ObjectIdentifier(object)]?.isWritten ?? true else { continue }
                for constraint in object.descriptor.entity.uniquenessConstraints {
                    if changesKey(constraint, of: object), let key = key(of: object, constraint) {
                        try compare(key, object, &holders, &plan)
                    }
                    // A reference to a missing object is null here, but belongs to the key in the store.
                    try resolve(shadowsOf: constraint, object, &plan)
                }
            }
            if plan.droppedCount == dropped.count { return plan }
        }
    }

    private func changesKey(_ constraint: [String], of object: ManagedObject) -> Bool {
        guard let current = writes[ObjectIdentifier(object)]?.current else { return object.state == .inserted }
        return constraint.compactMap(object.descriptor.entity.propertyIndex).contains { propertyIndex in
            value(propertyIndex, of: object) != current.values[propertyIndex]
        }
    }

    private func key(of object: ManagedObject, _ constraint: [String]) -> UniqueKey? {
        UniqueKey(of: object, constraint, in: context.schema.model) { value($0, of: object) }
    }

    private func value(_ propertyIndex: Int, of object: ManagedObject) -> PropertyValue {
        guard let write = writes[ObjectIdentifier(object)], let current = write.current else {
            return object.read(propertyIndex)
        }
        let stored = current.values[propertyIndex]
        guard write.indexes.contains(propertyIndex) else { return stored }
        let own = object.read(propertyIndex)
        let rule = object.descriptor.entity.properties[propertyIndex].attribute?.mergeRule ?? .latest
        return rule.isBound && !own.replaces(stored, under: rule) ? stored : own
    }

    private func compare(
        _ key: UniqueKey,
        _ object: ManagedObject,
        _ holders: inout [UniqueKey: ManagedObject],
        _ plan: inout UniquenessPlan
    ) throws {
        guard plan.results[ObjectIdentifier(object)] == nil else { return }
        // An object that has lost a conflict itself no longer holds its keys.
        if let other = holders[key], plan.results[ObjectIdentifier(other)] == nil,
            try resolve(key, object, against: other, &plan) !== other
        {
            return
        }
        holders[key] = object
        for row in try reader.holders(of: key.parts, entity: key.entity) where row.id != object.objectID {
            if let known = context.registeredObject(for: row.id), !plan.isDropped(known) {
                let write = writes[ObjectIdentifier(known)]
                // The row is deleted, or the store refuses the new object because of its ID.
                if write?.isDeletion == true || (known.state == .inserted && write == nil) { continue }
                if known.state == .updated, write?.isWritten == true {
                    guard !changesKey(key.properties, of: known) else { continue }
                    // It keeps the key: a new object loses to it, and two saved objects are a conflict.
                    _ = try resolve(key, object, against: known, &plan)
                    holders[key] = known
                    continue
                }
            }
            let stored = row.snapshot(context.store.readable)
            try resolve(object, against: row, key.conflict([object.objectID], stored: stored), &plan)
        }
    }

    private func resolve(shadowsOf constraint: [String], _ object: ManagedObject, _ plan: inout UniquenessPlan) throws {
        guard plan.results[ObjectIdentifier(object)] == nil else { return }
        for shadow in shadows where shadow.key.object == object.objectID && shadow.key.properties == constraint {
            try resolve(object, against: shadow.row, shadow.conflict(context.store.readable), &plan)
        }
    }

    private func policy(of object: ManagedObject) -> MergePolicy {
        resolved[ObjectIdentifier(object)] ?? context.mergePolicy
    }

    /// A new object loses to a saved object; a conflict between two saved objects is always an error.
    private func resolve(
        _ key: UniqueKey,
        _ object: ManagedObject,
        against other: ManagedObject,
        _ plan: inout UniquenessPlan
    ) throws -> ManagedObject? {
        let areSaved = object.state == .updated && other.state == .updated
        let policy = policy(of: object)
        guard policy != .error, self.policy(of: other) != .error, !areSaved else {
            plan.conflicts.append(key.conflict([other.objectID, object.objectID], stored: nil))
            return nil
        }
        let isLaterLoser: Bool
        switch (object.state, other.state) {
        case (.inserted, .updated): isLaterLoser = true
        case (.updated, .inserted): isLaterLoser = false
        default: isLaterLoser = policy == .storeTrump || policy == .rollback
        }
        let (loser, winner) = isLaterLoser ? (object, other) : (other, object)
        plan.results[ObjectIdentifier(loser)] = .gone(isLost: true)
        plan.replace(loser, with: winner.uniqueID)
        return loser
    }

    private func resolve(
        _ object: ManagedObject,
        against row: Row,
        _ conflict: @autoclosure () -> ConstraintConflict,
        _ plan: inout UniquenessPlan
    ) throws {
        let isNew = object.state == .inserted
        switch policy(of: object) {
        case .objectTrump where isNew:
            let writes = SavePlan.writes(object, propertyIndexes: object.changed.propertyIndexes)
            if !writes.isEmpty {
                plan.updates.append(Change(entity: row.entity.name, id: row.uniqueID, operation: .update(writes)))
            }
            plan.results[ObjectIdentifier(object)] = .gone(isLost: true)
            plan.replace(object, with: row.uniqueID)
            plan.absorbing[ObjectIdentifier(object)] = row
            plan.touched.append((row.id, false))
        case .error, .objectTrump:
            plan.conflicts.append(conflict())
        case .overwrite:
            guard plan.removed.insert(row.id).inserted else { return }
            plan.deletions.append(Change(entity: row.entity.name, id: row.uniqueID, operation: .delete))
            plan.touched.append((row.id, true))
        case .storeTrump, .rollback:
            if isNew {
                plan.results[ObjectIdentifier(object)] = .gone(isLost: true)
                plan.replace(object, with: row.uniqueID)
            } else {
                let stored =
                    try writes[ObjectIdentifier(object)]?.current
                    ?? reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
                plan.results[ObjectIdentifier(object)] = stored.map { .dropped($0) } ?? .gone(isLost: true)
            }
        }
    }
}

struct UniquenessPlan {
    var results: [ObjectIdentifier: SavePlan.ObjectResult] = [:]
    private(set) var replacements: [String: [UniqueID: UniqueID]] = [:]
    var absorbing: [ObjectIdentifier: Row] = [:]
    var updates: [Change] = []
    var deletions: [Change] = []
    var touched: [(id: ManagedObjectID, isDeleted: Bool)] = []
    var removed: Set<ManagedObjectID> = []
    var conflicts: [ConstraintConflict] = []

    init(results: [ObjectIdentifier: SavePlan.ObjectResult] = [:]) { self.results = results }

    func isDropped(_ object: ManagedObject) -> Bool { results[ObjectIdentifier(object)]?.isDropped == true }

    var droppedCount: Int { results.values.count(where: \.isDropped) }

    func replacement(of id: UniqueID, root: String) -> UniqueID? {
        guard let replaced = replacements[root], var last = replaced[id] else { return nil }
        while let next = replaced[last] { last = next }
        return last
    }

    mutating func replace(_ object: ManagedObject, with other: UniqueID) {
        replacements[object.descriptor.entity.root, default: [:]][object.uniqueID] = other
    }

    func redirected(_ change: Change, _ entity: Entity, in model: Model) -> Change {
        guard !replacements.isEmpty else { return change }
        var change = change
        switch change.operation {
        case .insert(let writes): change.operation = .insert(writes.map { redirected($0, entity, model) })
        case .update(let writes): change.operation = .update(writes.map { redirected($0, entity, model) })
        case .link(let name, let ids, let positions):
            guard let root = targetRoot(of: name, entity, model) else { return change }
            let targets = ids.map { replacement(of: $0, root: root) ?? $0 }
            change.operation = .link(to: name, ids: targets, positions: positions)
        case .unlink, .delete: break
        }
        return change
    }

    private func targetRoot(of relationship: String, _ entity: Entity, _ model: Model) -> String? {
        entity.property(named: relationship)?.relationship.flatMap { model.entity(named: $0.destination)?.root }
    }

    private func redirected(_ write: PropertyWrite, _ entity: Entity, _ model: Model) -> PropertyWrite {
        guard let root = targetRoot(of: write.name, entity, model), case .string(let text) = write.value,
            let target = UniqueID(text).flatMap({ replacement(of: $0, root: root) })
        else { return write }
        return PropertyWrite(name: write.name, value: .string(target.description))
    }
}

struct UniqueKey: Hashable {
    let entity: Entity
    let properties: [String]
    let propertyIndexes: [Int]
    let values: [PropertyValue]

    init?(
        of object: ManagedObject,
        _ constraint: [String],
        in model: Model,
        _ value: (Int) -> PropertyValue
    ) {
        let own = object.descriptor.entity
        let stating = own.ancestors.last { model.entity(named: $0)?.uniquenessConstraints.contains(constraint) == true }
        entity = stating.flatMap { model.entity(named: $0) } ?? own
        properties = constraint
        propertyIndexes = constraint.compactMap { own.propertyIndex(named: $0) }
        values = propertyIndexes.map(value)
        guard propertyIndexes.count == constraint.count, !values.contains(.null) else { return nil }
    }

    var parts: [(propertyIndex: Int, value: PropertyValue)] { Array(zip(propertyIndexes, values)) }

    func conflict(_ ids: [ManagedObjectID], stored: ObjectSnapshot?) -> ConstraintConflict {
        ConstraintConflict(
            entity: entity.name,
            properties: properties,
            values: values,
            objectIDs: ids,
            stored: stored
        )
    }

    static func == (left: UniqueKey, right: UniqueKey) -> Bool {
        left.entity === right.entity && left.properties == right.properties && left.values == right.values
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(properties)
        hasher.combine(values)
    }
}

/// A stored object that would share a key with an object of a save, although the planner has not compared the key.
///
/// An older object may give the key up, or the key may come from a derived attribute or a redirected reference.
struct UnhiddenShadow {
    let key: SharedKey
    let row: Row

    init(_ key: SharedKey, _ reader: Reader, _ model: Model) throws {
        self.key = key
        let known =
            try reader.liveRow(key.other.uniqueID, rootEntity: key.other.rootEntity)
            ?? model.entity(named: key.other.entity).map { entity in
                Row(uniqueID: key.other.uniqueID, store: key.other.store, entity: entity, revision: 0, values: [])
            }
        guard let known else { throw StoreError.sharesKey(key) }
        row = known
    }

    func conflict(_ readable: (PropertyValue) -> PropertyValue) -> ConstraintConflict {
        ConstraintConflict(
            entity: key.entity,
            properties: key.properties,
            values: key.values,
            objectIDs: [key.object],
            stored: row.snapshot(readable)
        )
    }
}
