public import TributaryModel

/// What a container does when its store is at another version of the model.
///
/// ```swift
/// var migration = MigrationOptions()
/// migration.onMigration = { progress in print("\(progress.done) of \(progress.total)") }
/// let container = try await PersistentContainer(
///     name: "till-12", model: model, store: .file("/var/lib/till/store.sqlite"), migration: migration
/// )
/// ```
public struct MigrationOptions: Sendable {
    /// Whether the store is migrated; false makes opening throw `MigrationError` `notAllowed` with the plan.
    public var migrates: Bool
    /// Whether values may be dropped when the model has changed under the same version name.
    ///
    /// A property that is gone without a renaming identifier takes its values with it. Unless the version has another
    /// name than before, or this is set, opening throws `MigrationError` `losesValues` with names and counts.
    public var allowsLoss = false
    /// What the program does itself between versions, in the order of the versions.
    public var stages: [MigrationStage]
    /// Hears how far a migration is: at its beginning, every few thousand objects, and at its end.
    ///
    /// It is called on a thread of the store's, and never when there is nothing to migrate.
    public var onMigration: (@Sendable (MigrationProgress) -> Void)?

    /// Migrates what can be inferred, unless it is said otherwise.
    public init(
        migrates: Bool = true,
        stages: [MigrationStage] = [],
        onMigration: (@Sendable (MigrationProgress) -> Void)? = nil
    ) {
        self.migrates = migrates
        self.stages = stages
        self.onMigration = onMigration
    }
}
