import TributaryMigration

extension MigrationOptions {
    var settings: MigrationSettings {
        var settings = MigrationSettings()
        settings.migrates = migrates
        settings.allowsLoss = allowsLoss
        if let onMigration { settings.report = { onMigration($0) } }
        settings.stages = stages.map { stage in
            CustomMigrationStage(
                from: stage.from,
                to: stage.to,
                willMigrate: { try stage.willMigrate?(MigrationEditor($0)) },
                didMigrate: { try stage.didMigrate?(MigrationEditor($0)) }
            )
        }
        return settings
    }
}
