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
        /// A custom stage migrates the property, whose mapping cannot be inferred: the old values are kept aside, and
        /// the new property starts empty.
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
