import TributaryChanges
import TributaryModel
import TributaryStore

/// Reads rows and relationships for one context, from its source under the context's own changes.
final class ContextReader {
    let source: any ContextSource
    let isStore: Bool
    private let rowCache: RowCache
    private var prefetched = PrefetchCache()
    /// An error that a getter could not throw; the next save throws it.
    var unreportedError: ContextError?
    /// The newest transaction that was merged into the objects of a background context.
    var mergedThrough: Int64 = 0
    /// Grows when anything but an edit changes what the context shows.
    private var changeCount: UInt64 = 0
    private var caughtUpVersion: UInt64 = 0

    init(source: any ContextSource, rowCache: RowCache) {
        self.source = source
        self.rowCache = rowCache
        isStore = source.isStore
    }

    /// Grows when the context shows another state of the store or of the contexts above.
    var shownVersion: UInt64 { changeCount &+ source.version }

    func invalidatePrefetched() { changeCount &+= 1 }

    func dropPrefetched() { prefetched = PrefetchCache() }

    func markCaughtUp() { caughtUpVersion = source.version }

    var isBehind: Bool { source.version != caughtUpVersion }

    func read<T>(_ block: (Reader) throws -> T) throws(ContextError) -> T {
        try ContextError.wrapping { try source.read(block) }
    }

    func readResults<T>(_ block: (Reader) throws -> T) throws -> T {
        do {
            return try source.read(block)
        } catch {
            throw ContextError.mapped(error, except: ObjectPredicateError.self)
        }
    }

    /// Returns the row without the context's own changes: the unsaved row of the contexts above, or else the store's.
    func row(_ id: UniqueID, _ descriptor: EntityDescriptor, _ reader: Reader) throws -> Row? {
        if let unsaved = source.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) { return unsaved.row }
        return try reader.row(id, rootEntity: descriptor.entity.root)
    }

    func row(_ id: UniqueID, _ descriptor: EntityDescriptor) throws(ContextError) -> Row? {
        if let unsaved = source.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) { return unsaved.row }
        if let row = cachedRow(descriptor.objectID(id)) { return row }
        return try read { try $0.row(id, rootEntity: descriptor.entity.root) }
    }

    func related(to object: ManagedObject, _ propertyIndex: Int) throws(ContextError) -> [ManagedObjectID] {
        let isUnknownToStore = source.unsaved(object.key)?.isInserted == true
        let key = RelationshipDelta.Key(object, propertyIndex)
        if let known = prefetchedIDs(at: key) { return known }
        let stored =
            isUnknownToStore
            ? []
            : try read {
                try $0.related(to: object.uniqueID, entity: object.descriptor.entity, propertyIndex: propertyIndex)
            }
        return withChangesAbove(stored, at: key)
    }

    func withChangesAbove(_ stored: [ManagedObjectID], at key: RelationshipDelta.Key) -> [ManagedObjectID] {
        let ids = source.relationshipChange(key)?.applied(to: stored) ?? stored
        return source.relationshipOrdering(key)?.ordering(ids) ?? ids
    }

    func isDeletedAbove(_ id: UniqueID, rootIndex: Int) -> Bool {
        guard !isStore, let unsaved = source.unsaved(ObjectKey(rootIndex: rootIndex, id: id)) else { return false }
        return unsaved.row == nil
    }

    /// A context that shows a generation, and its children, share the container's row cache.
    ///
    /// A context that reads the newest state does not use it, because another process may have written since; it has
    /// the rows of its own prefetch cache.
    func cachedRow(_ id: ManagedObjectID) -> Row? {
        guard let number = source.cachedGeneration else { return prefetched.row(id, version: shownVersion) }
        return rowCache.row(id, at: number)
    }

    /// Rows of a transaction that is not committed stay in the context.
    func readAhead(_ block: (Reader) throws -> [Row]) throws(ContextError) -> [Row] {
        let (rows, number) = try read { reader in (try block(reader), try reader.history.newestTransaction()) }
        keep(rows, readAt: number)
        return rows
    }

    func readResultsAhead(_ query: FetchQuery) throws -> [Row] {
        let (rows, number) = try readResults { reader in
            (try reader.rows(query), try reader.history.newestTransaction())
        }
        keep(rows, readAt: number)
        return rows
    }

    func keep(_ rows: [Row], readAt number: Int64) {
        if source.isCommitted { rowCache.insert(rows, readAt: number) }
        if source.cachedGeneration == nil { prefetched.insert(rows, version: shownVersion) }
    }

    func keep(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) {
        prefetched.insert(ids, at: key, version: shownVersion)
    }

    func prefetchedIDs(at key: RelationshipDelta.Key) -> [ManagedObjectID]? {
        prefetched.related(key, version: shownVersion)
    }
}

/// Rows of faults and other ends of relationships that one context has read ahead: valid until the context changes or
/// shows another state, by a save, a merge, a refresh or the next `perform`.
struct PrefetchCache {
    private var rows: [ManagedObjectID: Row] = [:]
    private var related: [RelationshipDelta.Key: [ManagedObjectID]] = [:]
    private var version: UInt64 = 0

    /// Beyond it, all rows and relationships are dropped for new ones.
    static let limit = 50_000

    func row(_ id: ManagedObjectID, version: UInt64) -> Row? { version == self.version ? rows[id] : nil }

    func related(_ key: RelationshipDelta.Key, version: UInt64) -> [ManagedObjectID]? {
        version == self.version ? related[key] : nil
    }

    mutating func insert(_ rows: [Row], version: UInt64) {
        makeRoom(version)
        for row in rows { self.rows[row.id] = row }
    }

    mutating func insert(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key, version: UInt64) {
        makeRoom(version)
        related[key] = ids
    }

    private mutating func makeRoom(_ version: UInt64) {
        guard version != self.version || rows.count + related.count > PrefetchCache.limit else { return }
        rows = [:]
        related = [:]
        self.version = version
    }
}
