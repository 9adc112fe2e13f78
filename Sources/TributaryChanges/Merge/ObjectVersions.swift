/// The state of an object as a whole: its existence and its concrete entity.
///
/// State: the greatest insert version with the concrete entity that this insert names, and the greatest delete version.
/// Merge statements 2 (two inserts of one identifier are one object), 3 (visible when inserted is not before deleted)
/// and 4 (the concrete entity is a register written by inserts).
@usableFromInline
package struct ObjectVersions<Stamp: Equatable, Entity> {
    /// The greatest version of an insert; nil when the object was never inserted.
    @usableFromInline package internal(set) var inserted: Stamp?
    /// The concrete entity that the insert with the greatest version names.
    @usableFromInline package internal(set) var entity: Entity?
    /// The greatest version of a deletion; nil when there was none.
    @usableFromInline package internal(set) var deleted: Stamp?

    @inlinable
    package init(insert: (version: Stamp, entity: Entity)? = nil, deleted: Stamp? = nil) {
        inserted = insert?.version
        entity = insert?.entity
        self.deleted = deleted
    }

    /// Merges an insert that arrives after the known state; of inserts with equal versions the greater entity wins.
    ///
    /// - Returns: whether it is the greatest so far, so that its entity is the object's.
    @inlinable
    package mutating func insert<Order: VersionOrder>(
        at version: Stamp,
        entity: Entity,
        by order: Order,
        _ precedes: (Entity, Entity) -> Bool
    ) throws -> Bool where Order.Stamp == Stamp {
        if let inserted, let known = self.entity {
            if try order.isOlder(version, than: inserted) { return false }
            if version == inserted, !precedes(known, entity) { return false }
        }
        (inserted, self.entity) = (version, entity)
        return true
    }

    /// Merges a deletion that arrives after the known state.
    ///
    /// - Returns: whether it is the greatest so far.
    @inlinable
    package mutating func delete<Order: VersionOrder>(at version: Stamp, by order: Order) throws -> Bool
    where Order.Stamp == Stamp {
        guard try order.later(deleted, version) == version else { return false }
        deleted = version
        return true
    }

    /// Whether the object is visible: inserted, and not deleted since.
    @inlinable
    package func isVisible<Order: VersionOrder>(by order: Order) throws -> Bool where Order.Stamp == Stamp {
        guard let inserted else { return false }
        guard let deleted else { return true }
        return try !order.isOlder(inserted, than: deleted)
    }
}

extension ObjectVersions: Equatable where Entity: Equatable {}
extension ObjectVersions: Sendable where Stamp: Sendable, Entity: Sendable {}
