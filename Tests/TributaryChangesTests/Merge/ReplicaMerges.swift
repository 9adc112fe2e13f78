import TributaryChanges

// What two replicas show after an exchange of their whole states. The store merges write by write; tests hold that against
// these merges, which are joins by their laws.

extension MergeRule {
    /// Merges the registers that two replicas have of one property, which is no counter.
    ///
    /// Deletions are merged separately and supersede the result.
    func merge<Order: VersionOrder>(
        _ first: Register<Order.Stamp, PropertyValue>?,
        _ second: Register<Order.Stamp, PropertyValue>?,
        by order: Order
    ) throws -> Register<Order.Stamp, PropertyValue>? {
        guard let first, let second else { return first ?? second }
        switch self {
        case .latest, .counter: break
        case .max, .min:
            if second.value.replaces(first.value, under: self) { return second }
            if first.value.replaces(second.value, under: self) { return first }
        }
        if try order.isOlder(first.version, than: second.version) { return second }
        if try order.isOlder(second.version, than: first.version) { return first }
        return first.value.precedes(second.value) ? second : first
    }
}

extension ObjectVersions where Entity: Comparable {
    mutating func insert<Order: VersionOrder>(at version: Stamp, entity: Entity, by order: Order) throws -> Bool
    where Order.Stamp == Stamp {
        try insert(at: version, entity: entity, by: order, <)
    }

    /// Of inserts with equal versions the greater entity wins.
    func merged<Order: VersionOrder>(with other: Self, by order: Order) throws -> Self where Order.Stamp == Stamp {
        var insert = inserted.flatMap { version in entity.map { (version: version, entity: $0) } }
        if let version = other.inserted, let entity = other.entity {
            let isGreater =
                if let insert {
                    try order.isOlder(insert.version, than: version)
                        || (!order.isOlder(version, than: insert.version) && insert.entity < entity)
                } else {
                    true
                }
            if isGreater { insert = (version, entity) }
        }
        return Self(insert: insert, deleted: try other.deleted.map { try order.later(deleted, $0) } ?? deleted)
    }
}
