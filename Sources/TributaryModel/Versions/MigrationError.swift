public import TributaryChanges

/// An error that ended a migration; the store is unchanged.
public enum MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Some mappings cannot be inferred; the list contains all of them.
    case notInferable(from: String, to: String, [MigrationRefusal])
    /// The store has had the given model before, and has left it; the list contains the losses of going back.
    case olderModel(store: String, model: String, [MigrationLoss])
    /// The store needs a migration, and the configuration forbids it.
    case notAllowed(MigrationPlan)
    /// The migration would drop values without permission.
    ///
    /// Permission is needed if the name of the version is unchanged. It is also needed if the order of names or renaming
    /// identifiers makes the store's version the newer version, and nothing else decides.
    case losesValues(from: String, to: String, [MigrationLoss])
    /// A custom stage threw; `reason` describes the error.
    case stageFailed(from: String, to: String, reason: String)
    /// Objects of the store violate a unique key or a mandatory relationship of the newer version.
    case violated(from: String, to: String, [MigrationViolation])
    /// The migration was cancelled; the store is at the old version, and the next opening starts the migration again.
    case interrupted(from: String, to: String)

    /// A description of the error and of its remedy.
    public var description: String {
        switch self {
        case .notInferable(let from, let to, let refusals):
            "the store is at model version '\(from)', and these differences to version '\(to)' cannot be inferred:\n"
                + refusals.map { "  \($0)" }.joined(separator: "\n")
        case .olderModel(let store, let model, let losses):
            "the store has had this model before, as version '\(model)', and has left it"
                + (store == model ? " for a different model under the same name" : " for version '\(store)'")
                + ". Open it with the model that it has now. To go back to this one, raise its version: in YAML "
                + "'version: \"\(MigrationError.raised(store, model))\"'; or allow the loss with 'migration: {allow_loss: true}'"
                + (losses.isEmpty
                    ? ""
                    : ". These values will be lost:\n" + losses.map { "  \($0)" }.joined(separator: "\n"))
        case .notAllowed(let plan):
            "the store is at model version '\(plan.from)' and needs a migration to version '\(plan.to)', which was "
                + "forbidden; it would:\n" + plan.changes.map { "  \($0)" }.joined(separator: "\n")
        case .losesValues(let from, let to, let losses):
            (from == to
                ? "the model has changed under the version '\(to)' that the store is at"
                : "the store is at model version '\(from)', and by its name or its renaming identifiers '\(to)' may be older")
                + ", and these values would be lost:\n" + losses.map { "  \($0)" }.joined(separator: "\n")
                + "\ngive what was renamed its former name (renamed_from, elementID), raise the model's version, or allow it "
                + "with 'migration: {allow_loss: true}'"
        case .stageFailed(let from, let to, let reason):
            "the stage from model version '\(from)' to '\(to)' failed: \(reason)"
        case .violated(let from, let to, let violations):
            "the store is at model version '\(from)', and objects in it do not fit version '\(to)':\n"
                + violations.map { "  \($0)" }.joined(separator: "\n")
        case .interrupted(let from, let to):
            "the migration from model version '\(from)' to '\(to)' was stopped; it starts again at the next opening"
        }
    }
}

extension MigrationError {
    private static func raised(_ store: String, _ model: String) -> String {
        guard let one = Int(store), let other = Int(model), max(one, other) < .max else { return store + ".1" }
        return "\(max(one, other) + 1)"
    }
}

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

    /// The violated rule and the violating objects in a sentence.
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

/// Values in the store that no property of the newer model version takes over unchanged.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the older version.
    public var entity: String
    /// The property; nil when the entity itself is removed.
    public var property: String?
    /// The number of values, or of objects.
    public var count: Int
    /// Whether the values are rounded to values of the property's new type; otherwise they are dropped.
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

    /// The difference, the reason and the remedy in a sentence.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        return "\(name), from \(from) to \(to): \(reason); \(help)"
    }
}
