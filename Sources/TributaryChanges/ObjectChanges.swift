/// Which objects a save, an import or a merge touched, in bounded memory.
///
/// Past a limit of IDs the set collapses: first to "everything of this root entity", then to "everything".
public struct ObjectChanges: Sendable, Hashable {
    /// Objects that became visible.
    public private(set) var inserted: Set<ManagedObjectID> = []
    /// Objects of which a value or a relationship changed.
    public private(set) var updated: Set<ManagedObjectID> = []
    /// Objects that are not visible any more.
    public private(set) var deleted: Set<ManagedObjectID> = []
    /// Root entities of which anything may have changed.
    public private(set) var collapsedEntities: Set<String> = []
    /// Whether anything at all may have changed.
    public private(set) var isEverything = false
    private let limit: Int

    /// No changes; at most `limit` IDs are kept.
    public init(limit: Int = ObjectChanges.defaultLimit) {
        self.limit = max(limit, 1)
    }

    /// 10,000 IDs.
    public static let defaultLimit = 10_000

    /// Root entities past which a collapsed set says "everything".
    private static let entityLimit = 256

    /// Whether nothing changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && collapsedEntities.isEmpty && !isEverything
    }

    /// How many IDs are listed.
    public var count: Int { inserted.count + updated.count + deleted.count }

    /// An object became visible; one that was deleted before in the same set is an update.
    public mutating func insert(_ id: ManagedObjectID) {
        guard !covers(id) else { return }
        if !deleted.isEmpty, deleted.remove(id) != nil { updated.insert(id) } else { inserted.insert(id) }
        bound()
    }

    /// A value or a relationship of an object changed.
    public mutating func update(_ id: ManagedObjectID) {
        guard !covers(id) else { return }
        guard inserted.isEmpty || !inserted.contains(id), deleted.isEmpty || !deleted.contains(id) else { return }
        updated.insert(id)
        bound()
    }

    /// An object is not visible any more; one that was inserted in the same set leaves no trace.
    public mutating func delete(_ id: ManagedObjectID) {
        guard !covers(id) else { return }
        updated.remove(id)
        if inserted.remove(id) == nil { deleted.insert(id) }
        bound()
    }

    /// Anything of a root entity may have changed.
    public mutating func collapse(rootEntity: String) {
        guard !isEverything, collapsedEntities.insert(rootEntity).inserted else { return }
        inserted = inserted.filter { $0.rootEntity != rootEntity }
        updated = updated.filter { $0.rootEntity != rootEntity }
        deleted = deleted.filter { $0.rootEntity != rootEntity }
        if collapsedEntities.count > ObjectChanges.entityLimit { collapseEverything() }
    }

    /// Anything may have changed.
    public mutating func collapseEverything() {
        inserted = []
        updated = []
        deleted = []
        collapsedEntities = []
        isEverything = true
    }

    /// Adds what happened after this.
    public mutating func formUnion(_ later: ObjectChanges) {
        if later.isEverything { return collapseEverything() }
        for entity in later.collapsedEntities { collapse(rootEntity: entity) }
        for id in later.inserted { insert(id) }
        for id in later.updated { update(id) }
        for id in later.deleted { delete(id) }
    }

    /// Whether the object may have changed without being listed.
    public func covers(_ id: ManagedObjectID) -> Bool {
        isEverything || (!collapsedEntities.isEmpty && collapsedEntities.contains(id.rootEntity))
    }

    /// Collapses the entity with the most IDs until the limit is kept.
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
