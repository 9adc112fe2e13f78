public import TributaryModel

/// What to fetch: an entity, a condition, an order, and how much of it.
///
/// ```swift
/// var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
/// request.fetchLimit = 20
/// let employees = try context.fetch(request, as: Employee.self)
/// ```
public struct FetchRequest: Sendable, Hashable {
    /// The entity of the objects.
    public var entityName: String
    /// Which of them; nil for all.
    public var predicate: ObjectPredicate?
    /// Their order; objects that the keys do not tell apart are sorted by ID.
    public var sortKeys: [SortKey]
    /// At most so many; nil for no limit.
    public var fetchLimit: Int?
    /// So many are skipped first.
    public var fetchOffset = 0
    /// How many objects ``ManagedObjectContext/fetchBatches(_:as:)`` and streams read at once; 0 leaves it to them.
    public var fetchBatchSize = 0
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// Whether the context's own unsaved inserts, updates and deletions count.
    public var includesPendingChanges = true
    /// Whether values are read along with the IDs; without, objects are faults that read their rows one by one.
    public var includesPropertyValues = true
    /// Whether objects come as faults, their rows waiting in the row cache; by default they have their values at once.
    public var returnsObjectsAsFaults = false
    /// Relationships such as `department` or `projects.members` to be read along: one query for each step of a path.
    public var prefetchedKeyPaths: [String] = []
    /// What dictionary results hold; empty for all attributes and to-one relationships.
    ///
    /// Fetches of objects always read whole rows.
    public var propertiesToFetch: [FetchedProperty] = []
    /// Whether equal dictionaries come once.
    public var returnsDistinctResults = false
    /// Key paths of attributes and to-one relationships by which dictionaries are grouped.
    public var groupBy: [String] = []
    /// Which groups; its key paths are names of ``propertiesToFetch``.
    public var having: ObjectPredicate?

    /// A request for the objects of an entity.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
    }
}
