public import TributaryChanges
public import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    // MARK: Objects

    /// The objects that fulfil the request, in its order.
    ///
    /// What the context has inserted, changed and deleted itself counts as if it were saved, unless the request says
    /// otherwise; then offset and limit are applied.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        try FetchOperation(context: self, request: request).objects()
    }

    /// The objects that fulfil the request as objects of a class; objects of other classes are left out.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest, as type: Object.Type) throws -> [Object] {
        let kind = try kind(named: request.entityName)
        try schema.check(type, isClassOf: kind)
        let objects = try fetch(request)
        // An entity that is alone in its inheritance has objects of one class only: casting each of them would be another
        // walk through all.
        if kind.entity.parent == nil, !kind.hasSubentities, kind.type is Object.Type {
            return unsafeBitCast(objects, to: [Object].self)
        }
        return objects.compactMap { $0 as? Object }
    }

    /// All objects of a class, in the given order.
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type,
        predicate: ObjectPredicate? = nil,
        sortKeys: [SortKey] = []
    ) throws -> [Object] {
        try fetch(FetchRequest(type.entityName, predicate: predicate, sortKeys: sortKeys), as: type)
    }

    // MARK: IDs and numbers

    /// The IDs of the objects that fulfil the request; the objects are not made.
    ///
    /// - Parameters:
    ///   - request: what to fetch.
    ///   - fillingRowCache: whether rows are read along and kept for all contexts of the container, so that
    ///     `object(with:)` needs no round trip later. The row cache is bounded; rows that came first go first.
    /// - Returns: The IDs, in the order of the request.
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetchIDs(_ request: FetchRequest, fillingRowCache: Bool = false) throws -> [ManagedObjectID] {
        try FetchOperation(context: self, request: request).ids(fillingRowCache: fillingRowCache)
    }

    /// How many objects fulfil the request.
    public func count(for request: FetchRequest) throws -> Int {
        try FetchOperation(context: self, request: request).count()
    }

    /// How many objects of a class there are, or fulfil a predicate.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when the predicate does not fit the model.
    public func count<Object: ManagedObject>(of type: Object.Type, where predicate: ObjectPredicate? = nil) throws
        -> Int
    {
        try schema.check(type, isClassOf: try kind(named: type.entityName))
        return try count(for: FetchRequest(type.entityName, predicate: predicate))
    }

    // MARK: Values

    /// The results of a request as values by name: properties of objects, or aggregates of groups of them.
    ///
    /// ```swift
    /// var request = FetchRequest("Employee", sortKeys: [SortKey("total", ascending: false)])
    /// request.propertiesToFetch = ["department.title", .sum(of: "salary", as: "total"), .count(as: "heads")]
    /// request.groupBy = ["department.title"]
    /// request.having = try ObjectPredicate(parsing: "total > 1000")
    /// for group in try context.fetchDictionaries(request) { print(group["department.title"], group["total"]) }
    /// ```
    /// With an aggregate and no `groupBy` all objects are one group, also when there is none. Sort keys are names of
    /// results, or key paths; results of groups, and distinct ones, are sorted by what they hold or are grouped by.
    ///
    /// Unsaved changes count unless `includesPendingChanges` is false: when there are any, the objects are fetched and the
    /// results are computed from them; else SQLite does it, and no object is made.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when names, predicate or key paths do not fit the model.
    public func fetchDictionaries(_ request: FetchRequest) throws -> [FetchedValues] {
        checkConfinement()
        return try FetchOperation(context: self, request: request).dictionaries()
    }

    // MARK: Portions

    /// The objects that fulfil the request, with rows that are read `fetchBatchSize` at a time (100 when that is 0).
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetchBatches<Object: ManagedObject>(
        _ request: FetchRequest,
        as type: Object.Type
    ) throws -> FetchedBatches<Object> {
        try schema.check(type, isClassOf: try kind(named: request.entityName))
        let ids = try fetchIDs(request).filter { schema.kind(of: $0).type is Object.Type }
        return FetchedBatches(
            context: self,
            ids: ids,
            batchSize: request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
        )
    }

    /// The results of a request as they arrive.
    ///
    /// Portions have `fetchBatchSize` objects, 200 when that is 0.
    public func stream<Object: ManagedObject>(_ request: FetchRequest, as type: Object.Type) -> ObjectStream<Object> {
        ObjectStream(context: self, request: request)
    }

    /// As ``fetch(_:)`` for the view context, with the SQL run off the main actor.
    ///
    /// What the context shows when the answer comes counts, its unsaved changes included. Cancelling the task interrupts
    /// SQLite.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError`` or `ObjectPredicateError`.
    public func fetchAsynchronously(_ request: FetchRequest) async throws -> [ManagedObject] {
        try await FetchOperation(context: self, request: request).objectsAsynchronously()
    }

    /// The objects that fulfil the request as objects of a class; objects of other classes are left out.
    public func fetchAsynchronously<Object: ManagedObject>(
        _ request: FetchRequest,
        as type: Object.Type
    ) async throws -> [Object] {
        try schema.check(type, isClassOf: try kind(named: request.entityName))
        return try await fetchAsynchronously(request).compactMap { $0 as? Object }
    }

    // MARK: Named requests

    /// A request that the model names, with values in the place of its `$VARIABLES`.
    ///
    /// - Throws: ``ContextError`` `unknownFetchRequest`, or `ObjectPredicateError`.
    public func fetchRequest(
        named name: String,
        substituting variables: [String: PredicateArgument] = [:]
    ) throws -> FetchRequest {
        try FetchRequest(named: name, in: schema.model, substituting: variables)
    }
}
