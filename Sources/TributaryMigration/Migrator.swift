import CSQLite
package import GRDB
package import TributaryInference
package import TributaryModel
package import TributaryStore

/// Migrates stores with inferred mappings and custom stages, and reads the names of older versions.
package struct Migrator: StoreMigrator {
    private let settings: MigrationSettings

    package init(_ settings: MigrationSettings = MigrationSettings()) {
        self.settings = settings
    }

    package func formerNames(of model: Model, histories: [ModelVersions]) -> FormerNames {
        FormerNames(of: model, histories: histories)
    }

    /// Says what opening a store with a model would do, without doing it.
    ///
    /// Nil when the store is at the model already. Custom stages and the objects' unique keys are not looked at.
    package func forecast(_ configuration: StoreConfiguration) throws -> (plan: MigrationPlan, losses: [MigrationLoss])?
    {
        try Store.inspect(configuration.path) { database in
            try MigrationRun(db: database, configuration: configuration, settings: settings).forecast()
        }
    }

    package func migrate(_ database: Database, configuration: StoreConfiguration) throws -> StoreModel {
        do {
            return try MigrationRun(db: database, configuration: configuration, settings: settings).run()
        } catch let error where error is StoreError || error is DatabaseError || error is MigrationError {
            throw error
        } catch {
            throw StoreError.cannotOpen(path: configuration.path, reason: "\(error)")
        }
    }
}

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
