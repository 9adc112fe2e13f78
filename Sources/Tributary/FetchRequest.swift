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
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// Whether the context's own unsaved inserts, updates and deletions count.
    public var includesPendingChanges = true

    /// A request for the objects of an entity.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
    }
}
