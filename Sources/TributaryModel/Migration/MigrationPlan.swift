/// What it takes to bring a store from one version of a model to another, inferred from the two.
///
/// ```swift
/// let versions = try Model.versions(contentsOf: "Company.xcdatamodeld")
/// let plan = try MigrationPlan(from: versions[0], to: versions[2], through: [versions[1]])
/// for change in plan.changes { print(change) }
/// ```
public struct MigrationPlan: Sendable, Hashable {
    /// The version that the store is at.
    public let from: String
    /// The version that it is brought to.
    public let to: String
    /// The differences, sorted by entity; none when the store needs nothing.
    public let changes: [MigrationChange]

    /// Compares two versions; no store is needed.
    ///
    /// - Parameters:
    ///   - old: the version that a store is at.
    ///   - new: the version that it is to be brought to.
    ///   - versions: those in between, the oldest first: what was renamed in several steps is followed through them.
    /// - Throws: ``MigrationError`` `notInferable` with everything that cannot be inferred.
    public init(from old: Model, to new: Model, through versions: [Model] = []) throws(MigrationError) {
        self = try MigrationInference(from: old, through: versions, to: new).plan()
    }

    package init(from: String, to: String, changes: [MigrationChange]) {
        self.from = from
        self.to = to
        self.changes = changes
    }

    /// Whether a store of the one version is a store of the other.
    public var isEmpty: Bool { changes.isEmpty }
}
