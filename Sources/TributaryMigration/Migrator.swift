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
