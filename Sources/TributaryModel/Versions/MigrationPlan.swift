/// The changes that migrate a store between two versions of a model.
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

/// One difference between two versions of a model that a migration applies.
public struct MigrationChange: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a change of an entity or a property.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case addEntity = "add the entity"
        case removeEntity = "remove the entity"
        case renameEntity = "rename the entity"
        case changeParent = "change the parent of"
        case changeAbstractness = "change whether it is abstract:"
        case addProperty = "add"
        case removeProperty = "remove"
        case renameProperty = "rename"
        case changeType = "change the type of"
        case makeOptional = "make optional"
        case makeMandatory = "make mandatory"
        /// Objects without a value get the default; the store exports these writes as changes.
        case fillMandatory = "make mandatory and fill with the default"
        case changeDefault = "change the default of"
        case changeToMany = "make to-many"
        case changeOrder = "change the order of"
        case changeInverse = "change the inverse of"
        case changeDestination = "change the destination of"
        case changeConstraints = "change the uniqueness constraints of"
        case changeIndexes = "change the fetch indexes of"
        case changeOther = "change what the hash modifier stands for in"
        /// A custom stage migrates the property: the old values are kept separately, and the new property starts empty.
        case replaceProperty = "replace, by a custom stage,"
    }

    /// The kind of the change.
    public var kind: Kind
    /// The entity's name in the newer version; for a removed entity in the older version.
    public var entity: String
    /// The property; nil when the change is of the entity itself.
    public var property: String?
    /// The name or the setting in the older version.
    public var from: String?
    /// The name or the setting in the newer version.
    public var to: String?

    package init(_ kind: Kind, _ entity: String, _ property: String? = nil, from: String? = nil, to: String? = nil) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.from = from
        self.to = to
    }

    /// The change in words, such as `rename Employee.pay (from 'salary' to 'pay')`.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        let details = [from.map { "from '\($0)'" }, to.map { "to '\($0)'" }].compactMap { $0 }
        return "\(kind.rawValue) \(name)" + (details.isEmpty ? "" : " (\(details.joined(separator: " ")))")
    }
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The version of the store.
    public var from: String
    /// The version to migrate to.
    public var to: String
    /// The root entity with rows that are being rewritten; nil at the beginning, at the end, and during a custom stage.
    public var entity: String?
    /// The number of rows that have been rewritten, of all entities.
    public var done: Int
    /// The number of rows to rewrite, of all entities; 0 when no row has to be.
    public var total: Int

    /// The values that the migration drops; set at the beginning and at the end.
    public var losses: [MigrationLoss] = []

    package init(from: String, to: String, entity: String? = nil, done: Int = 0, total: Int = 0) {
        self.from = from
        self.to = to
        self.entity = entity
        self.done = done
        self.total = total
    }
}
