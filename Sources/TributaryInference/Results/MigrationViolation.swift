public import TributaryChanges

/// Objects of a store that violate a rule of the newer model version.
public struct MigrationViolation: Sendable, Hashable, CustomStringConvertible {
    /// A rule that the newer version has and the older version did not have.
    public enum Rule: String, Sendable, Hashable {
        /// No two objects may have equal values.
        case unique
        /// No object may be without a destination object.
        case mandatory
    }

    /// The violated rule.
    public var rule: Rule
    /// The entity's name in the newer version.
    public var entity: String
    /// The properties of the unique key, or the relationship.
    public var properties: [String]
    /// The values that several objects share, as JSON, one for each property; empty for a relationship.
    public var values: [String]
    /// The number of violating objects.
    public var count: Int
    /// At most five of the violating objects.
    public var ids: [ManagedObjectID]

    package init(
        _ rule: Rule,
        entity: String,
        properties: [String],
        values: [String] = [],
        count: Int,
        ids: [ManagedObjectID]
    ) {
        self.rule = rule
        self.entity = entity
        self.properties = properties
        self.values = values
        self.count = count
        self.ids = ids
    }

    /// The violated rule and the violating objects as one sentence.
    public var description: String {
        let list = ids.map(\.uniqueID.description).joined(separator: ", ") + (count > ids.count ? " …" : "")
        let names = properties.joined(separator: ", ")
        return switch rule {
        case .unique:
            "\(entity).(\(names)) is to be unique, and \(count) objects have \(values.joined(separator: ", ")): \(list)"
        case .mandatory:
            "\(entity).\(names) is to be mandatory, and \(count) \(count == 1 ? "object has" : "objects have") none: \(list)"
        }
    }
}
