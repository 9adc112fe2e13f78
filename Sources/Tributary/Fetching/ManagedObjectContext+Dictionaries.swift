import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
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
        // The contexts above first: what they do now is news for the objects here.
        source.processChanges()
        processChanges()
        let request = resolved(request)
        if let other = withoutOwnChanges(request) { return try other.fetchDictionaries(request) }
        let plan = try home.dictionaryPlan(request)
        let isOverlaid = source.hasUnsaved || request.includesPendingChanges && pending.count > 0
        guard isOverlaid else { return home.named(try readResults { try $0.values(plan) }, plan) }
        var objects = request
        objects.sortKeys = []
        objects.fetchLimit = nil
        objects.fetchOffset = 0
        objects.includesPropertyValues = true
        objects.returnsObjectsAsFaults = false
        objects.prefetchedKeyPaths = plan.prefetchedKeyPaths
        return home.named(plan.values(of: try fetch(objects)), plan)
    }
}

extension PersistentContainer {
    /// The results of a request as values by name; unsaved changes do not count.
    ///
    /// No thread waits. Cancelling the task interrupts SQLite. See ``ManagedObjectContext/fetchDictionaries(_:)``.
    ///
    /// - Parameters:
    ///   - request: what to fetch.
    ///   - state: which state of the store is read.
    /// - Returns: The dictionaries, in the order of the request.
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError``, `ObjectPredicateError`, or
    ///   ``HistoryError`` for a token of another store.
    public func fetchDictionaries(
        _ request: FetchRequest,
        at state: FetchedState = .mainContext
    ) async throws -> [FetchedValues] {
        var request = request
        let seconds = Double(home.store.configuration.environment.wallMilliseconds()) / 1000
        request.predicate = request.predicate?.resolvingNow(unixSeconds: seconds)
        let plan = try home.dictionaryPlan(request)
        return home.named(try await reading(at: state) { try $0.values(plan) }, plan)
    }
}

extension ContextHome {
    /// What a request for dictionaries means.
    func dictionaryPlan(_ request: FetchRequest) throws -> DictionaryPlan {
        let objects = try query(request)
        return try DictionaryPlan(
            DictionaryQuery(
                objects: objects,
                columns: request.columns(of: objects.entity),
                groupBy: request.groupBy,
                having: request.having.map(store.resolvingNow),
                isDistinct: request.returnsDistinctResults
            ),
            model: schema.model
        )
    }
}

extension DictionaryPlan {
    /// The relationships that its values lead through.
    fileprivate var prefetchedKeyPaths: [String] {
        let paths = columns.map(\.path) + groups
        return Set(paths.map { $0.steps.map(\.relationship.name).joined(separator: ".") }.filter { !$0.isEmpty })
            .sorted()
    }
}

extension FetchRequest {
    /// What is asked for; without it what is grouped by, or everything that has one value.
    fileprivate func columns(of entity: Entity) -> [DictionaryQuery.Column] {
        var properties = propertiesToFetch
        if properties.isEmpty { properties = groupBy.map { FetchedProperty($0) } }
        if properties.isEmpty {
            properties = entity.properties.filter { property in
                property.attribute?.isStored ?? (property.relationship?.isToMany == false)
            }.map { FetchedProperty($0.name) }
        }
        return properties.map { property in
            DictionaryQuery.Column(
                name: property.name,
                keyPath: property.keyPath,
                function: property.function?.aggregate
            )
        }
    }
}

extension FetchedProperty.Function {
    fileprivate var aggregate: ObjectPredicate.Aggregate {
        switch self {
        case .count: .count
        case .sum: .sum
        case .min: .min
        case .max: .max
        case .average: .average
        }
    }
}
