public import TributaryModel
import TributaryStore

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
    /// It is called on a thread of the store, and only when a migration is necessary.
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

/// A custom stage of a migration, for a difference between two versions of a model that cannot be inferred.
///
/// A migration is one transaction of the store, including its stages: when a stage throws, or the process ends, the
/// store is at the old version. A property that cannot be inferred is replaced: its old values are kept until the store
/// is at the new version, and ``MigrationEditor/formerValue(of:for:)`` returns them in `didMigrate`.
///
/// ```swift
/// let stage = MigrationStage(from: "2", to: "3", didMigrate: { editor in
///     for employee in try editor.objects("Employee") {
///         guard case .string(let text)? = try editor.formerValue(of: "salary", for: employee.id) else { continue }
///         try editor.update(employee.id, ["salary": .double(Double(text) ?? 0)])
///     }
/// })
/// ```
public struct MigrationStage: Sendable {
    /// The name of the version before the stage.
    public var from: String
    /// The name of the version after the stage.
    public var to: String
    /// Runs while the store is at the older version.
    public var willMigrate: (@Sendable (MigrationEditor) throws -> Void)?
    /// Runs when the store is at the newer version.
    public var didMigrate: (@Sendable (MigrationEditor) throws -> Void)?

    /// Creates a stage between two versions, named as the model's file names them.
    public init(
        from: String,
        to: String,
        willMigrate: (@Sendable (MigrationEditor) throws -> Void)? = nil,
        didMigrate: (@Sendable (MigrationEditor) throws -> Void)? = nil
    ) {
        self.from = from
        self.to = to
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }
}

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
