import GRDB
package import TributaryInference
import TributaryStore

/// The settings for the migration of a store that is opened with another version of its model.
package struct MigrationSettings: Sendable {
    /// Whether the store may be migrated; otherwise a store that needs a migration is refused.
    package var migrates = true
    /// Whether values without a successor may be dropped although the name of the version has not changed.
    package var allowsLoss = false
    package var stages: [CustomMigrationStage] = []
    /// Observes the beginning, the progress every few thousand objects, and the end; an error that it throws ends the
    /// migration.
    package var report: (@Sendable (MigrationProgress) throws -> Void)?
    /// Called between SQLite's instructions; true ends the migration, and the next opening starts it again.
    package var shouldStop: (@Sendable () -> Bool)?

    package var stepsBetweenQuestions = Database.stepsBetweenQuestions

    package init() {}
}
