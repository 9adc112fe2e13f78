import TributaryChanges
import TributaryModel
import TributaryStore

final class ContextReader {
    let parent: (any ContextParent)?
    private let store: Store
    private var ownGeneration: Generation?
    let saves = JoinedSaves()
    private let rowCache: RowCache
    private var prefetched = PrefetchCache()
    var unreportedError: ContextError?
    var mergedThrough: Int64 = 0
    /// Grows when anything but an edit changes the values that the context shows.
    private var changeCount: UInt64 = 0
    private var caughtUpVersion: UInt64 = 0

    init(parent: (any ContextParent)?, store: Store, generation: Generation?, rowCache: RowCache) {
        self.parent = parent
        self.store = store
        ownGeneration = generation
        self.rowCache = rowCache
    }

    var generation: Generation? {
        get { if let parent { parent.generation } else { ownGeneration } }
        set { ownGeneration = newValue }
    }

    var isStore: Bool { parent == nil }

    var isCommitted: Bool { parent?.isCommitted ?? (saves.transaction == nil) }

    /// Nil when the context cannot use the row cache: it reads the newest state, or its own transaction.
    private var cachedGeneration: Int64? { isCommitted ? generation?.number : nil }

    private var parentVersion: UInt64 { parent?.stateVersion ?? 0 }

    var shownVersion: UInt64 { changeCount &+ parentVersion }

    func invalidatePrefetched() { changeCount &+= 1 }

    func dropPrefetched() { prefetched = PrefetchCache() }

    func markCaughtUp() { caughtUpVersion = parentVersion }

    var isBehind: Bool { parentVersion != caughtUpVersion }

    func readSource<T>(_ block: (Reader) throws -> T) throws -> T {
        if let parent { return try parent.read(block) }
        if let transaction = saves.transaction { return try block(transaction.reader) }
        if let ownGeneration { return try ownGeneration.read(block) }
        return try store.read(block)
    }

    func read<T>(_ block: (Reader) throws -> T) throws(ContextError) -> T {
        try ContextError.wrapping { try readSource(block) }
    }

    func readResults<T>(_ block: (Reader) throws -> T) throws -> T {
        do {
            return try readSource(block)
        } catch {
            throw ContextError.mapped(error, except: ObjectPredicateError.self)
        }
    }

    func row(_ id: UniqueID, _ descriptor: EntityDescriptor, _ reader: Reader) throws -> Row? {
        if let unsaved = parent?.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) { return unsaved.row }
        return try reader.row(id, rootEntity: descriptor.entity.root)
    }

    func row(_ id: UniqueID, _ descriptor: EntityDescriptor) throws(ContextError) -> Row? {
        if let unsaved = parent?.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) { return unsaved.row }
        if let row = cachedRow(descriptor.objectID(id)) { return row }
        return try read { try $0.row(id, rootEntity: descriptor.entity.root) }
    }

    func related(to object: ManagedObject, _ propertyIndex: Int) throws(ContextError) -> [ManagedObjectID] {
        let isUnknownToStore = parent?.unsaved(object.key)?.isInserted == true
        let key = RelationshipDelta.Key(object, propertyIndex)
        if let known = prefetchedIDs(at: key) { return known }
        let stored =
            isUnknownToStore
            ? []
            : try read {
                try $0.related(to: object.uniqueID, entity: object.descriptor.entity, propertyIndex: propertyIndex)
            }
        return parent?.related(stored, at: key) ?? stored
    }

    func isDeletedAbove(_ id: UniqueID, rootIndex: Int) -> Bool {
        parent?.unsaved(ObjectKey(rootIndex: rootIndex, id: id)).map { $0.row == nil } ?? false
    }

    /// Not for a context that reads the newest state, because another process may have written since.
    func cachedRow(_ id: ManagedObjectID) -> Row? {
        guard let number = cachedGeneration else { return prefetched.row(id, version: shownVersion) }
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
        if isCommitted { rowCache.insert(rows, readAt: number) }
        if cachedGeneration == nil { prefetched.insert(rows, version: shownVersion) }
    }

    func keep(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) {
        prefetched.insert(ids, at: key, version: shownVersion)
    }

    func prefetchedIDs(at key: RelationshipDelta.Key) -> [ManagedObjectID]? {
        prefetched.related(key, version: shownVersion)
    }
}

/// Rows that are valid until the context changes or shows another state, at the latest until the next `perform`.
struct PrefetchCache {
    private var rows: [ManagedObjectID: Row] = [:]
    private var related: [RelationshipDelta.Key: [ManagedObjectID]] = [:]
    private var version: UInt64 = 0

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
