/// What a program does itself between two versions of a model, where a difference cannot be inferred.
///
/// All of a migration is one transaction of the store, the stages included: when one throws, or the process ends, the
/// store is at the old version. A property that cannot be inferred is replaced: its old values are put aside before the
/// store is at the new version, and ``MigrationEditor/formerValue(of:for:)`` gives them in `didMigrate`.
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
    /// The name of the version that the stage begins at.
    public var from: String
    /// The name of the version that it ends at.
    public var to: String
    /// Runs while the store is at the older version.
    public var willMigrate: (@Sendable (MigrationEditor) throws -> Void)?
    /// Runs when the store is at the newer version.
    public var didMigrate: (@Sendable (MigrationEditor) throws -> Void)?

    /// A stage between two versions, named as the model's file names them.
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
