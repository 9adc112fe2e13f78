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
        do {
            return try source.read(block)
        } catch {
            throw ContextError(error)
        }
    }

    func readResults<T>(_ block: (Reader) throws -> T) throws -> T {
        do {
            return try source.read(block)
        } catch let error as ObjectPredicateError {
            throw error
        } catch {
            throw ContextError(error)
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

struct FaultLoading {
    let context: ManagedObjectContext

    /// A getter cannot throw, so an error is kept on the object.
    func fire(_ object: ManagedObject) {
        do {
            try load(object)
        } catch {
            if case .notFound = error {
            } else if case .notYetMerged = error {
            } else {
                context.reader.unreportedError = error
            }
            report(error, of: object)
        }
    }

    /// Notifies observers once for each object.
    func report(_ error: ContextError, of object: ManagedObject) {
        let extras = object.makeExtras()
        extras.faultError = error
        guard !extras.wasReported else { return }
        extras.wasReported = true
        context.observation.inaccessibleFaults.forEach { $0(object, error) }
    }

    /// An object without a row becomes gone.
    func load(_ object: ManagedObject) throws(ContextError) {
        let id = object.objectID
        guard object.descriptor.isKnown else { throw ContextError.notFound(id) }
        let row = try unreadable(id) { () throws(ContextError) in
            try context.reader.row(object.uniqueID, object.descriptor)
        }
        if var row, row.entity.name == object.descriptor.entity.name { return object.fill(from: &row) }
        let newer = row == nil ? try newerTransaction(of: object) : nil
        // An object that was only linked cannot keep its links, and an object that was deleted unread is deleted
        // already. An ID that is not merged yet is looked up again at the next access.
        context.move(object, on: .loadFailure)
        let error = newer.map { ContextError.notYetMerged(id, transaction: $0) } ?? .notFound(id)
        object.makeExtras().faultError = error
        throw error
    }

    /// Returns the transaction that inserted the object, when the context's generation is older than the object.
    private func newerTransaction(of object: ManagedObject) throws(ContextError) -> HistoryToken? {
        guard context.generation != nil, context.source.unsaved(object.key) == nil else { return nil }
        do {
            return try context.store.read { reader in
                guard let row = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root) else {
                    return nil
                }
                return HistoryToken(store: try reader.history.name(), number: row.revision)
            }
        } catch {
            throw ContextError(error)
        }
    }

    private func unreadable<T>(
        _ id: ManagedObjectID,
        _ block: () throws(ContextError) -> T
    ) throws(ContextError) -> T {
        do {
            return try block()
        } catch .store(let reason) {
            throw ContextError.unreadable(id, reason: reason)
        }
    }

    /// Reads the missing rows in one query.
    func loadBatch(_ ids: [ManagedObjectID]) throws(ContextError) -> [ManagedObject] {
        let objects = ids.map { context.fault(for: $0) }
        var missing: [ManagedObject] = []
        for object in objects where object.isFault && context.source.unsaved(object.key) == nil {
            if let row = context.reader.cachedRow(object.objectID) {
                _ = context.object(for: row)
            } else {
                missing.append(object)
            }
        }
        guard !missing.isEmpty else { return objects }
        for row in try context.reader.readAhead({ try $0.rows(missing.map(\.objectID)) }) {
            _ = context.object(for: row)
        }
        return objects
    }

    /// After a failed read the objects stay faults, and the next save throws the error.
    func loadBatchIfPossible(_ ids: [ManagedObjectID]) -> [ManagedObject] {
        do {
            return try loadBatch(ids)
        } catch {
            context.reader.unreportedError = error
            return ids.map { context.fault(for: $0) }
        }
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
