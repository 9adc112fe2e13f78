public import TributaryChanges
import TributaryStore

extension PersistentContainer {
    /// The objects that fulfil the request as values, at the generation of the main context; no context is needed.
    ///
    /// No thread waits. Cancelling the task interrupts SQLite. Unsaved changes of contexts do not count.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError`` or `ObjectPredicateError`.
    public func fetch(_ request: FetchRequest) async throws -> [ObjectSnapshot] {
        let query = try home.query(request)
        return try await reading { try $0.rows(query) }.map { $0.snapshot(home.store.readable) }
    }

    /// The IDs of the objects that fulfil the request, at the generation of the main context.
    ///
    /// With `fillingRowCache` the rows are read along: the main context's `object(with:)` then needs no round trip.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError`` or `ObjectPredicateError`.
    public func fetchIDs(_ request: FetchRequest, fillingRowCache: Bool = false) async throws -> [ManagedObjectID] {
        let query = try home.query(request)
        guard fillingRowCache else { return try await reading { try $0.ids(query) } }
        let (rows, number) = try await reading { (try $0.rows(query), try $0.newestTransaction()) }
        pipeline.rowCache.insert(rows, readAt: number)
        return rows.map(\.id)
    }

    /// How many objects fulfil the request, at the generation of the main context.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError`` or `ObjectPredicateError`.
    public func count(for request: FetchRequest) async throws -> Int {
        let query = try home.query(request)
        return try await reading { try $0.count(query) }
    }

    func reading<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async throws -> T {
        do {
            return try await pipeline.generation.readInTurn(body)
        } catch let error as StoreError {
            throw ContextError(error)
        }
    }
}

extension ContextHome {
    /// What a request asks of the store.
    func query(_ request: FetchRequest) throws(ContextError) -> FetchQuery {
        guard let kind = schema.kind(named: request.entityName) else {
            throw ContextError.unknownEntity(request.entityName)
        }
        return FetchQuery(
            entity: kind.entity,
            predicate: request.predicate,
            sortKeys: request.sortKeys,
            limit: request.fetchLimit.map { max($0, 0) },
            offset: max(request.fetchOffset, 0),
            includesSubentities: request.includesSubentities
        )
    }
}
