package import TributaryModel

/// The settings for the migration of a store that is opened with another version of its model.
package struct MigrationSettings: Sendable {
    /// Whether the store may be migrated; otherwise a store that needs a migration is refused.
    package var migrates = true
    /// Whether values without a successor may be dropped although the name of the version has not changed.
    package var allowsLoss = true
    package var stages: [CustomMigrationStage] = []
    /// Observes the beginning, the progress every few thousand objects, and the end; an error that it throws ends the
    /// migration.
    package var report: (@Sendable (MigrationProgress) throws -> Void)?
    /// Called between SQLite's instructions; true ends the migration, and the next opening starts it again.
    package var shouldStop: (@Sendable () -> Bool)?

    /// Instructions of SQLite's virtual machine between two calls.
    package var stepsBetweenQuestions: Int32 = 1_000

    package init() {}
}
