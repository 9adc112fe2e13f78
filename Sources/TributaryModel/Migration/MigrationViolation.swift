public import TributaryChanges

/// Objects of a store that a newer version of its model does not allow.
public struct MigrationViolation: Sendable, Hashable, CustomStringConvertible {
    /// What the newer version asks for and the older did not.
    public enum Rule: String, Sendable, Hashable {
        /// No two objects have the same values.
        case unique
        /// No object is without another one.
        case mandatory
    }

    /// What is asked for.
    public var rule: Rule
    /// The entity's name in the newer version.
    public var entity: String
    /// The properties of the unique key, or the relationship.
    public var properties: [String]
    /// The values that several objects have, as JSON, one for each property; empty for a relationship.
    public var values: [String]
    /// How many objects there are.
    public var count: Int
    /// Some of them, at most five.
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

    /// The violation in words: which objects, and what is wrong with them.
    public var description: String {
        let list = ids.map(\.uniqueID.description).joined(separator: ", ") + (count > ids.count ? " …" : "")
        let names = properties.joined(separator: ", ")
        return switch rule {
        case .unique:
            "\(entity).(\(names)) is to be unique, and \(count) objects have \(values.joined(separator: ", ")): \(list)"
        case .mandatory: "\(entity).\(names) is to be mandatory, and \(count) objects have none: \(list)"
        }
    }
}
