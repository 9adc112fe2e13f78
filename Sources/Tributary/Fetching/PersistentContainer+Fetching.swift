public import TributaryChanges
public import TributaryModel
import TributaryStore

extension PersistentContainer {
    /// Returns the objects that match the request as values; no context is needed.
    ///
    /// No thread waits. Cancelling the task interrupts SQLite. Unsaved changes of contexts are not included.
    ///
    /// - Parameters:
    ///   - request: the entity, condition and order.
    ///   - state: the state of the store that the fetch reads.
    /// - Returns: The objects' values, in the order of the request.
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError``, `ObjectPredicateError`, or
    ///   ``HistoryError`` for a token of another store.
    public func fetch(_ request: FetchRequest<some ManagedObject>, at state: FetchedState = .mainContext) async throws
        -> [ObjectSnapshot]
    {
        let query = try home.query(request)
        return try await reading(at: state) { try $0.rows(query) }.map { $0.snapshot(home.store.readable) }
    }

    /// Returns the IDs of the objects that match the request.
    ///
    /// - Parameters:
    ///   - request: the entity, condition and order.
    ///   - fillingRowCache: whether the rows are read along: the main context's `object(with:)` then needs no query.
    ///   - state: the state of the store that the fetch reads.
    /// - Returns: The IDs, in the order of the request.
    /// - Throws: as ``fetch(_:at:)``.
    public func fetchIDs(
        _ request: FetchRequest<some ManagedObject>,
        fillingRowCache: Bool = false,
        at state: FetchedState = .mainContext
    ) async throws -> [ManagedObjectID] {
        let query = try home.query(request)
        guard fillingRowCache else { return try await reading(at: state) { try $0.ids(query) } }
        let (rows, number) = try await reading(at: state) { (try $0.rows(query), try $0.history.newestTransaction()) }
        pipeline.rowCache.insert(rows, readAt: number)
        return rows.map(\.id)
    }

    /// Returns the number of objects that match the request.
    ///
    /// - Parameters:
    ///   - request: the entity and condition.
    ///   - state: the state of the store that the fetch reads.
    /// - Returns: The number.
    /// - Throws: as ``fetch(_:at:)``.
    public func count(for request: FetchRequest<some ManagedObject>, at state: FetchedState = .mainContext) async throws
        -> Int
    {
        let query = try home.query(request)
        return try await reading(at: state) { try $0.count(query) }
    }

    /// Returns the number of objects of a class, or of those that match a predicate.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - predicate: the condition that the objects match; nil counts all.
    ///   - state: the state of the store that the fetch reads.
    /// - Returns: The number.
    /// - Throws: as ``fetch(_:at:)``.
    public func count<Object: ManagedObject>(
        of type: Object.Type,
        where predicate: ObjectPredicate? = nil,
        at state: FetchedState = .mainContext
    ) async throws -> Int {
        try await count(for: FetchRequest(type.entityName, predicate: predicate), at: state)
    }

    /// Reads a state of the store without blocking the calling thread.
    func reading<T: Sendable>(
        at state: FetchedState,
        _ block: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        do {
            switch state {
            case .mainContext: return try await pipeline.generation.readInTurn(block)
            case .newest: return try await store.readAside(block)
            case .including(let token):
                let checked = { @Sendable (reader: Reader) throws -> T in
                    try PersistentContainer.check(token, reader)
                    return try block(reader)
                }
                let generation = pipeline.generation
                guard generation.number < token.number else { return try await generation.readInTurn(checked) }
                return try await store.readAside(checked)
            }
        } catch let error as StoreError {
            throw ContextError(error)
        }
    }

    private static func check(_ token: HistoryToken, _ reader: Reader) throws {
        let own = try reader.history.name()
        guard token.store == own else { throw HistoryError.foreignToken(token, store: own) }
        let newest = try reader.history.newestTransaction()
        guard newest >= token.number else {
            throw ContextError.store(
                reason: "the store does not have the token's transaction \(token.number): its newest one is \(newest)"
            )
        }
    }

    // MARK: Dictionaries, portions and named requests

    /// Returns the results of a request as values by name, without unsaved changes.
    ///
    /// No thread waits. Cancelling the task interrupts SQLite. See ``ManagedObjectContext/fetchDictionaries(_:)``.
    ///
    /// - Parameters:
    ///   - request: the entity, condition and properties.
    ///   - state: the state of the store that the fetch reads.
    /// - Returns: The dictionaries, in the order of the request.
    /// - Throws: as ``fetch(_:at:)``.
    public func fetchDictionaries(
        _ request: FetchRequest<some ManagedObject>,
        at state: FetchedState = .mainContext
    ) async throws -> [FetchedValues] {
        var request = request.untyped
        request.predicate = request.predicate.map(resolvingNow)
        let plan = try home.dictionaryPlan(request)
        return home.named(try await reading(at: state) { try $0.values(plan) }, plan)
    }

    /// Returns the results of a request as a sequence of values for any task, without unsaved changes.
    ///
    /// Portions have `fetchBatchSize` objects, 200 when that is 0.
    public func stream(_ request: FetchRequest<some ManagedObject>) -> SnapshotStream {
        SnapshotStream(home: home, request: request.untyped)
    }

    /// Returns a request that the model names, with values for its `$VARIABLES`.
    ///
    /// - Throws: ``ContextError`` `unknownFetchRequest`, or `ObjectPredicateError`.
    public func fetchRequest(
        named name: String,
        substituting variables: [String: PredicateArgument] = [:]
    ) throws -> FetchRequest<ManagedObject> {
        try FetchRequest(named: name, in: model, substituting: variables)
    }

    package func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate { store.resolvingNow(predicate) }
}

extension ContextHome {
    func query(_ request: FetchRequest<some ManagedObject>) throws(ContextError) -> FetchQuery {
        guard let descriptor = schema.descriptor(named: request.entityName) else {
            throw ContextError.unknownEntity(request.entityName)
        }
        return FetchQuery(
            entity: descriptor.entity,
            predicate: request.predicate,
            sortKeys: request.sortKeys,
            limit: request.fetchLimit.map { max($0, 0) },
            offset: max(request.fetchOffset, 0),
            includesSubentities: request.includesSubentities
        )
    }
}
