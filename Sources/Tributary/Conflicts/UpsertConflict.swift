import TributaryChanges
import TributaryModel
import TributaryStore

/// A new object of an upsert by key whose ID an object of the store has by now, because others have saved it since.
///
/// Before the save is planned, the new object becomes an update of the stored one in the context, so that values,
/// derived values and links of both meet as in any other update. After a failed save it is new again.
struct UpsertConflict {
    let object: ManagedObject
    let stored: Row
    private let former: (values: [PropertyValue], changed: PropertyIndexSet)
    private let merged: [PropertyValue]

    /// Finds the conflicts of a save and resolves them by the merge policy; under the policy `error` the store refuses
    /// the insert.
    static func resolve(in context: ManagedObjectContext, _ reader: Reader) throws {
        guard context.mergePolicy != .error else { return }
        let new = context.pending.objects.filter { $0.state == .inserted && $0.extras?.isUpserted == true }
        guard !new.isEmpty else { return }
        var hasFound = false
        for row in try reader.rows(new.map(\.objectID)) {
            guard let object = context.registeredObject(for: row.id), row.entity === object.descriptor.entity else {
                continue
            }
            context.saving.upserts[ObjectIdentifier(object)] = try UpsertConflict(object, row, in: context, reader)
            hasFound = true
        }
        if hasFound { try SaveValidation(context: context).validate() }
    }

    private init(_ object: ManagedObject, _ row: Row, in context: ManagedObjectContext, _ reader: Reader) throws {
        (self.object, stored) = (object, row)
        former = (object.values, object.changed)
        let kept = UpsertConflict.kept(object, row, context.mergePolicy)
        merged = UpsertConflict.merged(object, row, kept)
        if context.generation != nil { try UpsertConflict.keepRelated(object, in: context, reader) }
        context.relationships.rebase(object, on: row, merged)
        object.changed = PropertyIndexSet(kept)
        context.pending.move(object, on: .meetStored)
    }

    /// The property indexes whose values in the context replace the stored ones.
    private static func kept(_ object: ManagedObject, _ row: Row, _ policy: MergePolicy) -> [Int] {
        let (changed, descriptor) = (object.changed.propertyIndexes, object.descriptor)
        switch policy {
        case .error, .objectTrump: return changed
        // What differs from the model's default is what the store has changed.
        case .storeTrump: return changed.filter { row.values[$0] == descriptor.defaults[$0] }
        case .overwrite:
            return descriptor.entity.properties.indices.filter { propertyIndex in
                switch descriptor.entity.properties[propertyIndex] {
                case .attribute(let attribute) where attribute.mergeRule == .counter:
                    object.changed.contains(propertyIndex)
                case .attribute(let attribute): attribute.isStored && attribute.derivationExpression == nil
                case .relationship(_, let storage): storage == .column
                }
            }
        case .rollback: return []
        }
    }

    private static func merged(_ object: ManagedObject, _ row: Row, _ kept: [Int]) -> [PropertyValue] {
        var values = row.values
        for propertyIndex in object.descriptor.properties.transientIndexes {
            values[propertyIndex] = object.values[propertyIndex]
        }
        for propertyIndex in kept {
            let own = object.values[propertyIndex]
            let isCounter = object.descriptor.entity.properties[propertyIndex].attribute?.mergeRule == .counter
            // The value of a new object is an increment, as when two machines insert the object.
            let terms = isCounter ? [row.values[propertyIndex], own].filter { !$0.isNull } : []
            values[propertyIndex] = terms.isEmpty ? own : CounterTotals.value(of: terms) ?? own
        }
        return values
    }

    /// The generation of a pinned context may be older than the object, and then has none of its relationships.
    private static func keepRelated(
        _ object: ManagedObject,
        in context: ManagedObjectContext,
        _ reader: Reader
    ) throws {
        let entity = object.descriptor.entity
        for (propertyIndex, property) in entity.properties.enumerated() {
            guard case .relationship(_, let storage) = property, storage != .column else { continue }
            let ids = try reader.related(to: object.uniqueID, entity: entity, propertyIndex: propertyIndex)
            context.registry.keep(ids, at: propertyIndex, of: object)
        }
    }

    /// Makes the object new again after a failed save; changes that hooks have made meanwhile stay.
    func revert(in context: ManagedObjectContext) {
        guard object.state == .updated else { return }
        var (values, changed) = former
        for propertyIndex in object.changed.propertyIndexes
        where object.values[propertyIndex] != merged[propertyIndex] {
            values[propertyIndex] = object.values[propertyIndex]
            changed.insert(propertyIndex)
        }
        context.relationships.rebase(object, on: nil, values)
        object.changed = changed
        object.extras?.related = [:]
        context.pending.move(object, on: .restore(.inserted))
    }
}
