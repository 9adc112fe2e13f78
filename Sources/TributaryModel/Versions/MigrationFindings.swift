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

/// Values in the store that no property of the newer model version takes over as they are.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the older version.
    public var entity: String
    /// The property; nil when the entity itself is removed.
    public var property: String?
    /// The number of values, or of objects.
    public var count: Int
    /// Whether the values are rounded to those of the property's new type; otherwise they are dropped.
    public var isRounding = false
    /// The difference between the versions that loses the values, such as `the property is removed`.
    public var reason: String

    package init(entity: String, property: String?, count: Int, isRounding: Bool = false, reason: String) {
        self.isRounding = isRounding
        self.reason = reason
        self.entity = entity
        self.property = property
        self.count = count
    }

    /// A text such as `Employee.salary: 12 values (the property is removed)`.
    public var description: String {
        let words = isRounding ? " rounded (\(reason))" : " (\(reason))"
        guard let property else { return "\(entity): \(count) object\(count == 1 ? "" : "s")" + words }
        return "\(entity).\(property): \(count) value\(count == 1 ? "" : "s")" + words
    }
}

/// A difference between two versions of a model that no inferred migration can bridge.
public struct MigrationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the newer version.
    public var entity: String
    /// The property; nil when the refusal is about the entity itself.
    public var property: String?
    /// The name or the setting in the older version.
    public var from: String
    /// The name or the setting in the newer version.
    public var to: String
    /// The reason why the mapping cannot be inferred.
    public var reason: String
    /// The remedy.
    public var help: String

    /// The difference, the reason and the remedy as one sentence.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        return "\(name), from \(from) to \(to): \(reason); \(help)"
    }
}
