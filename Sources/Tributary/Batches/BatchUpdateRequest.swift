public import TributaryChanges
public import TributaryModel

/// A request to set values of all objects that match a predicate, without creating managed objects.
///
/// ```swift
/// let request = BatchUpdateRequest(
///     "Employee",
///     predicate: try ObjectPredicate(parsing: "age >= 65"),
///     setting: ["salary": .value(.double(0)), "visits": .increment(.integer(1))]
/// )
/// let count = try context.execute(request).count
/// ```
/// The batch checks types, mandatory properties and unique keys, but not bounds, patterns and hooks.
public struct BatchUpdateRequest: Sendable {
    /// The new value of a property.
    public enum Expression: Sendable, Hashable {
        /// A value; `.reference` for a to-one relationship.
        case value(PropertyValue)
        /// The sum of the stored number and this one; a missing number counts as zero.
        case increment(PropertyValue)
        /// The value that another attribute of the object had before the batch.
        case property(String)
    }

    /// The entity of the objects.
    public var entityName: String
    /// The condition that the objects match; nil for all objects.
    public var predicate: ObjectPredicate?
    /// Whether the request includes objects of sub-entities.
    public var includesSubentities = true
    /// The new values, by property name.
    public var properties: [String: Expression]
    /// The contents of the result.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context merges the changes of the batch; other contexts merge them in any case.
    public var refreshesContext = false

    /// Creates a request for the objects of an entity that match the predicate.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil, setting properties: [String: Expression]) {
        self.entityName = entityName
        self.predicate = predicate
        self.properties = properties
    }
}
