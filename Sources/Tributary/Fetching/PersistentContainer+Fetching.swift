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

    /// Returns the number of objects of a class that match a predicate.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - predicate: the condition that the objects match; nil for all objects.
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

    func reading<T: Sendable>(
        at state: FetchedState,
        _ block: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        do {
            switch state {
            case .mainContext: return try await pipeline.generation.readAsync(block)
            case .newest: return try await store.readAside(block)
            case .including(let token):
                let checked = { @Sendable (reader: Reader) throws -> T in
                    try PersistentContainer.check(token, reader)
                    return try block(reader)
                }
                let generation = pipeline.generation
                guard generation.number < token.number else { return try await generation.readAsync(checked) }
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

extension Store {
    func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.resolvingNow(configuration.environment.wallTime())
    }
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

/// One result of ``ManagedObjectContext/fetchDictionaries(_:)``: `Sendable` values by name.
///
/// ```swift
/// let total = group["total"]                       // a PropertyValue
/// let salary: Double? = group.value("total")       // as a Swift type
/// let department = group.objectID("department")    // of a to-one relationship
/// ```
public struct FetchedValues: Sendable, Hashable {
    /// The values by name; null for a missing value.
    public let values: [String: PropertyValue]
    fileprivate let ids: [String: ManagedObjectID]

    /// Returns the value of a name, or null when it is missing.
    public subscript(name: String) -> PropertyValue { values[name] ?? .null }

    /// Returns the value of a name as a Swift type, or nil when it is missing or of another type.
    public func value<Value: FieldValue>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        let value = self[name]
        return value.isNull ? nil : Value(fieldValue: value)
    }

    /// Returns the ID of a to-one relationship's target or of `SELF`.
    ///
    /// Its entity is the destination in the model, or the request's entity.
    public func objectID(_ name: String) -> ManagedObjectID? { ids[name] }
}

extension ContextHome {
    func named(_ results: [[PropertyValue]], _ plan: DictionaryPlan) -> [FetchedValues] {
        let destinations = plan.columns.map { column -> EntityDescriptor? in
            guard column.type == nil else { return nil }
            if case .reference(_, let relationship, _) = column.path.terminal {
                return schema.descriptor(named: relationship.destination)
            }
            return schema.descriptor(named: column.path.entity.name)
        }
        return results.map { result in
            var values: [String: PropertyValue] = [:]
            var ids: [String: ManagedObjectID] = [:]
            for (index, column) in plan.columns.enumerated() {
                values[column.name] = store.readable(result[index])
                if let id = result[index].referencedID { ids[column.name] = destinations[index]?.objectID(id) }
            }
            return FetchedValues(values: values, ids: ids)
        }
    }
}

/// The results of a request; their rows are read in batches on access.
///
/// ```swift
/// var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
/// request.fetchBatchSize = 50
/// let all = try context.fetchBatches(request, as: Employee.self)
/// print(all.count, all[all.count - 1].name)  // reads the IDs and one batch
/// ```
/// The fetch determines the objects. The collection belongs to its context, like the objects, and holds the objects of
/// the last batch.
public final class FetchedBatches<Object: ManagedObject>: RandomAccessCollection {
    /// The IDs of all results, in order.
    public let objectIDs: [ManagedObjectID]
    /// The number of rows that are read at once.
    public let batchSize: Int
    private let context: ManagedObjectContext
    private var held: (batch: Int, objects: [ManagedObject])?

    init(context: ManagedObjectContext, ids: [ManagedObjectID], batchSize: Int) {
        self.context = context
        objectIDs = ids
        self.batchSize = batchSize
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of results.
    public var endIndex: Int { objectIDs.count }

    /// The object at an index; its batch is read unless it was read last.
    ///
    /// Reading never fails, as with a fault: see ``ManagedObject/faultError``.
    public subscript(position: Int) -> Object {
        let batch = position / batchSize
        if held?.batch != batch {
            let ids = objectIDs[(batch * batchSize)..<Swift.min((batch + 1) * batchSize, objectIDs.count)]
            held = (batch, FaultLoading(context: context).loadBatchIfPossible(Array(ids)))
        }
        let object = held?.objects[position - batch * batchSize] ?? context.fault(for: objectIDs[position])
        guard let object = object as? Object else {
            preconditionFailure("the object at \(position) is not a \(Object.self)")
        }
        return object
    }
}

/// The state of the store that a fetch of the ``PersistentContainer`` reads.
public enum FetchedState: Sendable, Hashable {
    /// The generation of the main context, without its unsaved changes.
    case mainContext
    /// The newest committed state when the fetch begins.
    case newest
    /// The main context's generation when it includes the token's transaction, or else the newest committed state.
    ///
    /// With ``ManagedObjectContext/lastSaveToken`` the fetch includes the caller's own save, before the main context
    /// has merged the save.
    case including(HistoryToken)
}
