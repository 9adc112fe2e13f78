/// A stage of a migration that the program carries out itself, between two versions of a model and inside the
/// transaction of the migration.
package struct CustomMigrationStage: Sendable {
    package var from: String
    package var to: String
    /// The store is at the older version.
    package var willMigrate: @Sendable (MigrationEdit) throws -> Void
    /// The store is at the newer version.
    package var didMigrate: @Sendable (MigrationEdit) throws -> Void

    package init(
        from: String,
        to: String,
        willMigrate: @escaping @Sendable (MigrationEdit) throws -> Void,
        didMigrate: @escaping @Sendable (MigrationEdit) throws -> Void
    ) {
        self.from = from
        self.to = to
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }
}
