/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The version of the store.
    public var from: String
    /// The version to migrate to.
    public var to: String
    /// The root entity whose rows are being rewritten; nil at the beginning, at the end, and during a custom stage.
    public var entity: String?
    /// The number of rows that have been rewritten, of all entities.
    public var done: Int
    /// The number of rows to rewrite, of all entities; 0 when no row has to be.
    public var total: Int

    /// The values that the migration drops; set at the beginning and at the end.
    public var losses: [MigrationLoss] = []

    package init(from: String, to: String, entity: String? = nil, done: Int = 0, total: Int = 0) {
        self.from = from
        self.to = to
        self.entity = entity
        self.done = done
        self.total = total
    }
}
