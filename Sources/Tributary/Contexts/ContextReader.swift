import TributaryChanges
import TributaryModel
import TributaryStore

/// Reads rows and relationships for one context, from its source under the context's own changes.
///
/// Rows that were read ahead come from the container's row cache when the context shows a generation; otherwise they
/// come from a cache of the context's own.
final class ContextReader {
    let source: any ContextSource
    let isStore: Bool
    private let rowCache: RowCache
    private var prefetched = PrefetchCache()
    /// An error while reading that a getter could not throw; the next save throws it.
    var unreportedError: ContextError?
    /// The newest transaction that was merged into the objects of a background context.
    var mergedThrough: Int64 = 0
    /// Grows when something other than an edit changes what the context shows.
    private var changeCount: UInt64 = 0
    /// The version of the source that the objects in use show.
    private var caughtUpVersion: UInt64 = 0

    init(source: any ContextSource, rowCache: RowCache) {
        self.source = source
        self.rowCache = rowCache
        isStore = source.isStore
    }

    // MARK: Versions

    /// A version that grows when the context shows another state of the store or of the contexts above.
    var shownVersion: UInt64 { changeCount &+ source.version }

    func invalidatePrefetched() { changeCount &+= 1 }

    func dropPrefetched() { prefetched = PrefetchCache() }

    func markCaughtUp() { caughtUpVersion = source.version }

    var isBehind: Bool { source.version != caughtUpVersion }

    // MARK: Reading

    /// Reads at the context's generation, or at the newest state.
    func read<T>(_ block: (Reader) throws -> T) throws(ContextError) -> T {
        do {
            return try source.read(block)
        } catch {
            throw ContextError(error)
        }
    }

    /// Reads the results of a request.
    func readResults<T>(_ block: (Reader) throws -> T) throws -> T {
        do {
            return try source.read(block)
        } catch let error as ObjectPredicateError {
            throw error
        } catch {
            throw ContextError(error)
        }
    }

    /// Returns the unsaved row of the contexts above, or else the store's row, without the context's own changes.
    func row(_ id: UniqueID, _ descriptor: EntityDescriptor, _ reader: Reader) throws -> Row? {
        if let unsaved = source.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) { return unsaved.row }
        return try reader.row(id, rootEntity: descriptor.entity.root)
    }

    /// Returns the row without the context's own changes, from the caches or from the source.
    func row(_ id: UniqueID, _ descriptor: EntityDescriptor) throws(ContextError) -> Row? {
        if let unsaved = source.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) { return unsaved.row }
        if let row = cachedRow(descriptor.objectID(id)) { return row }
        return try read { try $0.row(id, rootEntity: descriptor.entity.root) }
    }

    /// Returns the other end of a relationship without the context's own changes.
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

    /// Returns the stored other end of a relationship with the unsaved changes of the contexts above.
    func withChangesAbove(_ stored: [ManagedObjectID], at key: RelationshipDelta.Key) -> [ManagedObjectID] {
        let ids = source.relationshipChange(key)?.applied(to: stored) ?? stored
        return source.relationshipOrdering(key)?.ordering(ids) ?? ids
    }

    /// Whether a context above has deleted the object.
    func isDeletedAbove(_ id: UniqueID, rootIndex: Int) -> Bool {
        guard !isStore, let unsaved = source.unsaved(ObjectKey(rootIndex: rootIndex, id: id)) else { return false }
        return unsaved.row == nil
    }

    // MARK: Reading ahead

    /// Returns the store's row of an object as the context would read it, when it has been read already.
    ///
    /// A context that shows a generation, and its children, share the container's row cache. A context that reads the
    /// newest state does not use it, because another process may have written since; it has the rows of its own
    /// prefetch cache.
    func cachedRow(_ id: ManagedObjectID) -> Row? {
        guard let number = source.cachedGeneration else { return prefetched.row(id, version: shownVersion) }
        return rowCache.row(id, at: number)
    }

    /// Reads rows, and keeps them for faults.
    ///
    /// Rows of a transaction that is not committed stay in the context.
    func readAhead(_ block: (Reader) throws -> [Row]) throws(ContextError) -> [Row] {
        let (rows, number) = try read { reader in (try block(reader), try reader.history.newestTransaction()) }
        keep(rows, readAt: number)
        return rows
    }

    /// Reads the rows of a request, and keeps them for faults.
    func readResultsAhead(_ query: FetchQuery) throws -> [Row] {
        let (rows, number) = try readResults { reader in
            (try reader.rows(query), try reader.history.newestTransaction())
        }
        keep(rows, readAt: number)
        return rows
    }

    /// Keeps rows that were read when the newest transaction was `number`.
    func keep(_ rows: [Row], readAt number: Int64) {
        if source.isCommitted { rowCache.insert(rows, readAt: number) }
        if source.cachedGeneration == nil { prefetched.insert(rows, version: shownVersion) }
    }

    func keep(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) {
        prefetched.insert(ids, at: key, version: shownVersion)
    }

    /// Returns the other end of a relationship when it has been read ahead.
    func prefetchedIDs(at key: RelationshipDelta.Key) -> [ManagedObjectID]? {
        prefetched.related(key, version: shownVersion)
    }
}
