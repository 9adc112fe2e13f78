public import TributaryModel

/// A request for objects: an entity, a condition, an order and limits.
///
/// ```swift
/// var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
/// request.fetchLimit = 20
/// let employees = try context.fetch(request, as: Employee.self)
/// ```
public struct FetchRequest: Sendable, Hashable {
    /// The entity of the objects.
    public var entityName: String
    /// The condition that the objects match; nil for all objects.
    public var predicate: ObjectPredicate?
    /// The sort order; objects with equal keys are sorted by ID.
    public var sortKeys: [SortKey]
    /// The maximum number of results; nil for no limit.
    public var fetchLimit: Int?
    /// The number of results that are skipped first.
    public var fetchOffset = 0
    /// The number of objects that batches and streams read at once; 0 for their default.
    ///
    /// See ``ManagedObjectContext/fetchBatches(_:as:)``.
    public var fetchBatchSize = 0
    /// Whether the request includes objects of sub-entities.
    public var includesSubentities = true
    /// Whether the context's own unsaved inserts, updates and deletions are included.
    public var includesPendingChanges = true
    /// Whether values are read along with the IDs; if not, objects are faults that read their rows one by one.
    public var includesPropertyValues = true
    /// Whether objects are faults whose rows are in the row cache; by default they have their values at once.
    public var returnsObjectsAsFaults = false
    /// Relationships such as `department` or `projects.members` to prefetch, with one query for each step of a path.
    public var prefetchedKeyPaths: [String] = []
    /// The properties of dictionary results; empty for all attributes and to-one relationships.
    ///
    /// Fetches of objects always read whole rows.
    public var propertiesToFetch: [FetchedProperty] = []
    /// Whether equal dictionaries are returned once.
    public var returnsDistinctResults = false
    /// Key paths of attributes and to-one relationships by which dictionaries are grouped.
    public var groupBy: [String] = []
    /// The condition that groups match; its key paths are names of ``propertiesToFetch``.
    public var having: ObjectPredicate?

    /// Creates a request for the objects of an entity.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
    }
}
