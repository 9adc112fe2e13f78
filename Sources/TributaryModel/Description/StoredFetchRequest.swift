/// A fetch request that a model names.
public struct StoredFetchRequest: Sendable, Hashable {
    /// The name in the model.
    public var name: String
    /// The entity whose objects it finds.
    public var entity: String
    /// In the predicate language, with `$VARIABLES`.
    public var predicate: String?
    /// How many objects it finds at most; 0 when there is no limit.
    public var fetchLimit = 0
    /// How many objects are read at once; 0 for all.
    public var fetchBatchSize = 0
    /// Whether objects of sub-entities are found too.
    public var includesSubentities = true

    /// A request for all objects of an entity.
    public init(name: String, entity: String) {
        self.name = name
        self.entity = entity
    }
}
