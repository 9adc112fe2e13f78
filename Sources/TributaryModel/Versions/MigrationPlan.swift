public import TributaryModel

/// The changes that migrate a store from one version of a model to another.
///
/// ```swift
/// let versions = try Model.versions(contentsOf: "Company.xcdatamodeld")
/// let plan = try MigrationPlan(from: versions[0], to: versions[2], through: [versions[1]])
/// for change in plan.changes { print(change) }
/// ```
public struct MigrationPlan: Sendable, Hashable {
    /// The version of the store.
    public let from: String
    /// The version to migrate to.
    public let to: String
    /// The changes, sorted by entity; empty when the store needs none.
    public let changes: [MigrationChange]

    /// Compares two versions; no store is needed.
    ///
    /// - Parameters:
    ///   - old: The version of the store.
    ///   - new: The version to migrate to.
    ///   - versions: The versions in between, the oldest first; renames in several steps are followed through them.
    /// - Throws: ``MigrationError`` `notInferable` with every mapping that cannot be inferred.
    public init(from old: Model, to new: Model, through versions: [Model] = []) throws(MigrationError) {
        self = try MigrationInference(from: old, through: versions, to: new).plan()
    }

    package init(from: String, to: String, changes: [MigrationChange]) {
        self.from = from
        self.to = to
        self.changes = changes
    }

    /// Whether a store of the older version needs no migration.
    public var isEmpty: Bool { changes.isEmpty }
}
