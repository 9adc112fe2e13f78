public import TributaryChanges
public import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    // MARK: Objects

    /// Returns the objects that match the request, in its order.
    ///
    /// The context's own unsaved inserts, updates and deletions are included, unless the request excludes them; offset
    /// and limit are applied afterwards.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try fetch(request, as: Object.self)
    }

    /// Returns the objects that match the request as objects of a class, without objects of other classes.
    public func fetch<Object: ManagedObject>(
        _ request: FetchRequest<some ManagedObject>,
        as type: Object.Type
    ) throws -> [Object] {
        let descriptor = try descriptor(named: request.entityName)
        try schema.check(type, isClassOf: descriptor)
        let objects = try FetchOperation(context: self, request: request.untyped).objects()
        // An entity without inheritance has objects of one class only; casting each of them would visit all again.
        if descriptor.entity.parent == nil, !descriptor.hasSubentities, descriptor.type is Object.Type {
            return unsafeBitCast(objects, to: [Object].self)
        }
        return objects.compactMap { $0 as? Object }
    }

    /// Returns all objects of a class, in the given order.
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type,
        predicate: ObjectPredicate? = nil,
        sortKeys: [SortKey] = []
    ) throws -> [Object] {
        try fetch(FetchRequest(type.entityName, predicate: predicate, sortKeys: sortKeys), as: type)
    }

    // MARK: IDs and counts

    /// Returns the IDs of the objects that match the request, without creating the objects.
    ///
    /// - Parameters:
    ///   - request: the entity, condition and order.
    ///   - fillingRowCache: whether rows are read along and kept for all contexts of the container, so that
    ///     `object(with:)` needs no query later. The row cache is bounded; the oldest rows are removed first.
    /// - Returns: The IDs, in the order of the request.
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetchIDs(_ request: FetchRequest<some ManagedObject>, fillingRowCache: Bool = false) throws
        -> [ManagedObjectID]
    {
        try FetchOperation(context: self, request: request.untyped).ids(fillingRowCache: fillingRowCache)
    }

    /// Returns the number of objects that match the request.
    public func count(for request: FetchRequest<some ManagedObject>) throws -> Int {
        try FetchOperation(context: self, request: request.untyped).count()
    }

    /// Returns the number of objects of a class that match a predicate.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when the predicate does not fit the model.
    public func count<Object: ManagedObject>(of type: Object.Type, where predicate: ObjectPredicate? = nil) throws
        -> Int
    {
        try schema.check(type, isClassOf: try descriptor(named: type.entityName))
        return try count(for: FetchRequest(type.entityName, predicate: predicate))
    }

    // MARK: Values

    /// Returns the results of a request as values by name: properties of objects, or aggregates of groups of them.
    ///
    /// ```swift
    /// var request = FetchRequest("Employee", sortKeys: [SortKey("total", ascending: false)])
    /// request.propertiesToFetch = ["department.title", .sum(of: "salary", as: "total"), .count(as: "heads")]
    /// request.groupBy = ["department.title"]
    /// request.having = try ObjectPredicate(parsing: "total > 1000")
    /// for group in try context.fetchDictionaries(request) { print(group["department.title"], group["total"]) }
    /// ```
    /// With an aggregate and no `groupBy` all objects are one group, which may be empty. Sort keys are names of
    /// results, or key paths; results of groups and distinct results are sorted by their values or by the `groupBy`
    /// paths.
    ///
    /// Unsaved changes are included unless `includesPendingChanges` is false. With unsaved changes, the objects are
    /// fetched and the results are computed from them. Otherwise SQLite computes the results, and no object is created.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when names, predicate or key paths do not fit the model.
    public func fetchDictionaries(_ request: FetchRequest<some ManagedObject>) throws -> [FetchedValues] {
        checkConfinement()
        return try FetchOperation(context: self, request: request.untyped).dictionaries()
    }

    // MARK: Portions

    /// Returns the objects that match the request, and reads `fetchBatchSize` rows at a time (100 when it is 0).
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetchBatches<Object: ManagedObject>(
        _ request: FetchRequest<some ManagedObject>,
        as type: Object.Type
    ) throws -> FetchedBatches<Object> {
        try schema.check(type, isClassOf: try descriptor(named: request.entityName))
        let ids = try fetchIDs(request).filter { schema.descriptor(of: $0).type is Object.Type }
        return FetchedBatches(
            context: self,
            ids: ids,
            batchSize: request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
        )
    }

    /// Returns the results of a request as an asynchronous sequence.
    ///
    /// Portions have `fetchBatchSize` objects, 200 when that is 0.
    public func stream<Object: ManagedObject>(_ request: FetchRequest<some ManagedObject>, as type: Object.Type)
        -> ObjectStream<Object>
    {
        ObjectStream(context: self, request: request.untyped)
    }

    /// Fetches like ``fetch(_:)`` for the view context, with the SQL run off the main actor.
    ///
    /// The results reflect the context's state when the query has ended, unsaved changes included. Cancelling the task
    /// interrupts SQLite.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError`` or `ObjectPredicateError`.
    public func fetchAsynchronously<Object: ManagedObject>(_ request: FetchRequest<Object>) async throws -> [Object] {
        try await fetchAsynchronously(request, as: Object.self)
    }

    /// Fetches objects of a class like ``fetchAsynchronously(_:)``, without objects of other classes.
    public func fetchAsynchronously<Object: ManagedObject>(
        _ request: FetchRequest<some ManagedObject>,
        as type: Object.Type
    ) async throws -> [Object] {
        try schema.check(type, isClassOf: try descriptor(named: request.entityName))
        let objects = try await FetchOperation(context: self, request: request.untyped).objectsAsynchronously()
        return objects.compactMap { $0 as? Object }
    }

    // MARK: Named requests

    /// Returns a request that the model names, with values for its `$VARIABLES`.
    ///
    /// - Throws: ``ContextError`` `unknownFetchRequest`, or `ObjectPredicateError`.
    public func fetchRequest(
        named name: String,
        substituting variables: [String: PredicateArgument] = [:]
    ) throws -> FetchRequest<ManagedObject> {
        try FetchRequest(named: name, in: schema.model, substituting: variables)
    }
}
