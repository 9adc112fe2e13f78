/// A stage of a migration that the program carries out itself, inside the transaction of the migration.
///
/// It covers the way between two versions of a model.
package struct CustomMigrationStage: Sendable {
    package var from: String
    package var to: String
    /// Runs while the store is at the older version.
    package var willMigrate: @Sendable (MigrationEdit) throws -> Void
    /// Runs once the store is at the newer version.
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
