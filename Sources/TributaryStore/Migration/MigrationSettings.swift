package import TributaryModel

/// How a store is brought to another version of its model when it is opened.
package struct MigrationSettings: Sendable {
    /// Without it a store that needs a migration is refused.
    package var migrates = true
    /// Whether values may be dropped that nothing takes over, though the version's name is the same.
    package var allowsLoss = true
    package var stages: [CustomMigrationStage] = []
    /// Hears of the beginning, of every few thousand objects, and of the end; what it throws ends the migration.
    package var report: (@Sendable (MigrationProgress) throws -> Void)?
    /// Asked between SQLite's steps; true ends the migration, and the next opening starts again.
    package var shouldStop: (@Sendable () -> Bool)?

    /// Steps of SQLite's machine between two questions.
    package var stepsBetweenQuestions: Int32 = 1_000

    package init() {}
}
