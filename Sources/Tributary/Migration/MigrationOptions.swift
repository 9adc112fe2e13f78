public import TributaryInference

/// How a container migrates a store that is at another version of the model.
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
    /// A property that is removed without a renaming identifier loses its values. Unless the version has another name
    /// than before, or this is set, opening throws `MigrationError` `losesValues` with names and counts.
    public var allowsLoss = false
    /// The program's own migration stages, in the order of the versions.
    public var stages: [MigrationStage]
    /// Receives the progress of a migration: at its beginning, every few thousand objects, and at its end.
    ///
    /// It is called on a thread of the store's, and never when no migration is necessary.
    public var onMigration: (@Sendable (MigrationProgress) -> Void)?

    /// Creates options that migrate all differences that can be inferred, by default.
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
