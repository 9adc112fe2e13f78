/// A stage of a migration that the program carries out itself, inside the transaction of the migration.
///
/// It covers the way between two versions of a model.
package struct CustomMigrationStage: Sendable {
    package var from: String
    package var to: String
    package var willMigrate: @Sendable (MigrationEdit) throws -> Void
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
