import TributaryChanges
import TributaryModel

/// The values that one object has for a uniqueness constraint, within the entity that states it.
struct UniqueKey: Hashable {
    let entity: Entity
    let properties: [String]
    let propertyIndexes: [Int]
    let values: [PropertyValue]

    /// Creates the key; nil when one of the values is null, because such a key conflicts with none.
    init?(of object: ManagedObject, _ constraint: [String], in model: Model) {
        let own = object.descriptor.entity
        // The topmost entity that has the constraint states it; the others inherit it.
        let stating = own.ancestors.last { model.entity(named: $0)?.uniquenessConstraints.contains(constraint) == true }
        entity = stating.flatMap { model.entity(named: $0) } ?? own
        properties = constraint
        propertyIndexes = constraint.compactMap { own.propertyIndex(named: $0) }
        values = propertyIndexes.map { object.read($0) }
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
