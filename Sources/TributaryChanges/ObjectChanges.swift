/// The objects that a save, an import or a merge changed, in bounded memory.
///
/// Beyond a limit of IDs the set collapses: first to all objects of a root entity, then to all objects.
public struct ObjectChanges: Sendable, Hashable {
    /// Objects that became visible.
    public private(set) var inserted: Set<ManagedObjectID> = []
    /// Objects with a changed value or relationship.
    public private(set) var updated: Set<ManagedObjectID> = []
    /// Objects that are no longer visible.
    public private(set) var deleted: Set<ManagedObjectID> = []
    /// Root entities with objects that may all have changed.
    public private(set) var collapsedEntities: Set<String> = []
    /// Whether all objects may have changed.
    public private(set) var isEverything = false
    private let limit: Int

    /// Creates an empty set that lists at most `limit` IDs.
    public init(limit: Int = ObjectChanges.defaultLimit) {
        self.limit = max(limit, 1)
    }

    /// 10,000 IDs.
    public static let defaultLimit = 10_000

    private static let entityLimit = 256

    /// Whether no object changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && collapsedEntities.isEmpty && !isEverything
    }

    /// The number of listed IDs.
    public var count: Int { inserted.count + updated.count + deleted.count }

    /// Adds an object that became visible; an object that the set lists as deleted becomes an update.
    public mutating func insert(_ id: ManagedObjectID) {
        guard !covers(id) else { return }
        if !deleted.isEmpty, deleted.remove(id) != nil { updated.insert(id) } else { inserted.insert(id) }
        bound()
    }

    /// Adds an object with a changed value or relationship.
    public mutating func update(_ id: ManagedObjectID) {
        guard !covers(id) else { return }
        guard inserted.isEmpty || !inserted.contains(id), deleted.isEmpty || !deleted.contains(id) else { return }
        updated.insert(id)
        bound()
    }

    /// Adds an object that is no longer visible; an inserted object is removed from the set.
    public mutating func delete(_ id: ManagedObjectID) {
        guard !covers(id) else { return }
        updated.remove(id)
        if inserted.remove(id) == nil { deleted.insert(id) }
        bound()
    }

    /// Adds all objects of a root entity.
    public mutating func collapse(rootEntity: String) {
        guard !isEverything, collapsedEntities.insert(rootEntity).inserted else { return }
        inserted = inserted.filter { $0.rootEntity != rootEntity }
        updated = updated.filter { $0.rootEntity != rootEntity }
        deleted = deleted.filter { $0.rootEntity != rootEntity }
        if collapsedEntities.count > ObjectChanges.entityLimit { collapseEverything() }
    }

    /// Adds all objects.
    public mutating func collapseEverything() {
        inserted = []
        updated = []
        deleted = []
        collapsedEntities = []
        isEverything = true
    }

    /// Adds changes that happened after these.
    public mutating func formUnion(_ later: ObjectChanges) {
        if later.isEverything { return collapseEverything() }
        for entity in later.collapsedEntities { collapse(rootEntity: entity) }
        for id in later.inserted { insert(id) }
        for id in later.updated { update(id) }
        for id in later.deleted { delete(id) }
    }

    /// Whether the object may have changed although it is not listed.
    public func covers(_ id: ManagedObjectID) -> Bool {
        isEverything || (!collapsedEntities.isEmpty && collapsedEntities.contains(id.rootEntity))
    }

    private mutating func bound() {
        while count > limit {
            var counts: [String: Int] = [:]
            for id in inserted { counts[id.rootEntity, default: 0] += 1 }
            for id in updated { counts[id.rootEntity, default: 0] += 1 }
            for id in deleted { counts[id.rootEntity, default: 0] += 1 }
            guard let largest = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return }
            collapse(rootEntity: largest)
        }
    }
}
