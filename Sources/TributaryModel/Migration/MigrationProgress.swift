/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
    /// The version that the store is at.
    public var from: String
    /// The version that it is brought to.
    public var to: String
    /// The root entity whose objects are being rewritten; nil at the beginning and the end, and in a stage of one's own.
    public var entity: String?
    /// Objects that are done, of all entities.
    public var done: Int
    /// Objects that are to be rewritten, of all entities; 0 when no object has to be.
    public var total: Int

    /// What the migration drops; told at the beginning and at the end.
    public var losses: [MigrationLoss] = []

    package init(from: String, to: String, entity: String? = nil, done: Int = 0, total: Int = 0) {
        self.from = from
        self.to = to
        self.entity = entity
        self.done = done
        self.total = total
    }
}
