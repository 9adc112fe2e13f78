public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    // MARK: Upsert

    /// The object of a class that has the given values, found in the context or the store, else a new one with them.
    ///
    /// ```swift
    /// let product = try context.upsert(Product.self, by: ["code": .string("A1")])
    /// ```
    /// - Throws: ``ContextError`` when the entity lacks one of the properties, a value does not fit, or a new object cannot
    ///   be made; then there is no new object.
    public func upsert<Object: ManagedObject>(
        _ type: Object.Type,
        by key: [String: PropertyValue]
    ) throws(ContextError) -> Object {
        checkConfinement()
        processChanges()
        let kind = try kind(named: type.entityName)
        try schema.check(type, isClassOf: kind)
        var parts: [(slot: Int, value: PropertyValue)] = []
        for (name, value) in key.sorted(by: { $0.key < $1.key }) {
            guard let slot = kind.slot(named: name) else {
                throw ContextError.unknownProperty(entity: kind.entity.name, property: name)
            }
            parts.append((slot, value))
        }
        if !parts.contains(where: { $0.value.isNull }), let found = try holder(of: parts, kind) as? Object {
            return found
        }
        let object = try insert(type)
        do {
            for (name, value) in key { try object.setValue(value, forKey: name) }
        } catch {
            delete(object)
            throw error
        }
        return object
    }

    private func holder(of key: [(slot: Int, value: PropertyValue)], _ kind: ObjectKind) throws(ContextError)
        -> ManagedObject?
    {
        let scope = DirtyKeyIndex.Scope(rootIndex: kind.rootIndex, slots: key.map(\.slot))
        let values = key.map(\.value)
        let own = dirtyObjects(values, in: scope).first { object in
            object.state != .deleted && object.kind.entity.isKind(of: kind.entity.name)
                && key.allSatisfy { object.read($0.slot) == $0.value }
        }
        if let own { return own }
        for other in source.unsavedKeys(of: values, in: scope) {
            guard let row = source.unsaved(other)?.row, row.entity.isKind(of: kind.entity.name),
                key.allSatisfy({ row.values[$0.slot] == $0.value }), isUnchanged(row.id)
            else { continue }
            return object(for: row)
        }
        let rows = try read { try $0.holders(of: key, entity: kind.entity) }
        return rows.first { row in
            isUnchanged(row.id) && source.unsaved(ObjectKey(rootIndex: kind.rootIndex, id: row.id.uniqueID)) == nil
        }.map { object(for: $0) }
    }

    /// Unsaved objects of this context that may have the values in the slots of the scope; see ``DirtyKeyIndex``.
    func dirtyObjects(_ values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ManagedObject] {
        pending.objects(values, in: scope, version: shownVersion)
    }

    /// Whether the context shows the object as it is below.
    private func isUnchanged(_ id: ManagedObjectID) -> Bool { registeredObject(for: id)?.isDirty != true }

    // MARK: At a save

    /// Holds the keys of new and changed objects against each other and against the store.
    func uniquenessPlan(_ reader: Reader) throws -> UniquenessPlan {
        var plan = UniquenessPlan()
        var holders: [UniqueKey: ManagedObject] = [:]
        for object in pending.objects where object.state == .inserted || object.state == .updated {
            for constraint in object.kind.entity.uniquenessConstraints {
                guard plan.outcomes[ObjectIdentifier(object)] == nil,
                    let key = UniqueKey(of: object, constraint, in: schema.model)
                else { continue }
                // One that has given way to another itself holds nothing any more.
                if let other = holders[key], plan.outcomes[ObjectIdentifier(other)] == nil {
                    let loser = try settle(key, object, against: other, &plan)
                    if loser === other { holders[key] = object }
                    continue
                }
                holders[key] = object
                guard object.state == .inserted || key.slots.contains(where: { object.changed.contains($0) }) else {
                    continue
                }
                for row in try reader.holders(of: key.parts, entity: key.entity) where row.id != object.objectID {
                    // What the context has changed itself is held against the others as it will be.
                    if registeredObject(for: row.id)?.isDirty == true { continue }
                    try settle(key, object, against: row, &plan)
                }
            }
        }
        return plan
    }

    /// Two objects of the context.
    ///
    /// The new one gives way to the one that was saved; of two new ones the later gives way where the store's side
    /// counts more, else the earlier. Two that were saved are always an error.
    private func settle(
        _ key: UniqueKey,
        _ object: ManagedObject,
        against other: ManagedObject,
        _ plan: inout UniquenessPlan
    ) throws -> ManagedObject? {
        let areSaved = object.state == .updated && other.state == .updated
        guard mergePolicy != .error, !areSaved else {
            plan.conflicts.append(key.conflict([other.objectID, object.objectID], stored: nil))
            return nil
        }
        let isLaterLoser: Bool
        switch (object.state, other.state) {
        case (.inserted, .updated): isLaterLoser = true
        case (.updated, .inserted): isLaterLoser = false
        default: isLaterLoser = mergePolicy == .storeTrump || mergePolicy == .rollback
        }
        let (loser, winner) = isLaterLoser ? (object, other) : (other, object)
        plan.outcomes[ObjectIdentifier(loser)] = .gone(isLost: true)
        plan.replace(loser, with: winner.uniqueID)
        return loser
    }

    /// An object of the context and one of the store.
    private func settle(
        _ key: UniqueKey,
        _ object: ManagedObject,
        against row: Row,
        _ plan: inout UniquenessPlan
    ) throws {
        let isNew = object.state == .inserted
        switch mergePolicy {
        case .objectTrump where isNew:
            let writes = SavePlan.writes(object, slots: object.changed.slots, isInsert: false)
            if !writes.isEmpty {
                plan.updates.append(
                    Change(entity: row.entity.name, id: row.id.uniqueID, operation: .update(writes))
                )
            }
            plan.outcomes[ObjectIdentifier(object)] = .gone(isLost: true)
            plan.replace(object, with: row.id.uniqueID)
            plan.touched.append((row.id, false))
        case .error, .objectTrump:
            plan.conflicts.append(key.conflict([object.objectID], stored: row.snapshot(store.readable)))
        case .overwrite:
            plan.deletions.append(Change(entity: row.entity.name, id: row.id.uniqueID, operation: .delete))
            plan.touched.append((row.id, true))
        case .storeTrump, .rollback:
            if isNew {
                plan.outcomes[ObjectIdentifier(object)] = .gone(isLost: true)
                plan.replace(object, with: row.id.uniqueID)
            } else if let stored = object.row {
                plan.outcomes[ObjectIdentifier(object)] = .dropped(stored)
            }
        }
    }
}
