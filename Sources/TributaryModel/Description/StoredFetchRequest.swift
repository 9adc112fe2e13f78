/// A fetch request that a model names.
public struct StoredFetchRequest: Sendable, Hashable {
    /// The name in the model.
    public var name: String
    /// The entity of the objects to fetch.
    public var entity: String
    /// The predicate in the format language, with `$VARIABLES`.
    public var predicate: String?
    /// The greatest number of objects to fetch; 0 when there is no limit.
    public var fetchLimit = 0
    /// The number of objects to read at a time; 0 for all.
    public var fetchBatchSize = 0
    /// Whether objects of sub-entities are fetched too.
    public var includesSubentities = true

    /// Creates a request for all objects of an entity.
    public init(name: String, entity: String) {
        self.name = name
        self.entity = entity
    }
}
