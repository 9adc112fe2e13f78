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
