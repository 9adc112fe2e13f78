public import TributaryChanges
public import TributaryModel

/// New values for all objects that fulfil a predicate: no managed objects are made.
///
/// ```swift
/// let request = BatchUpdateRequest(
///     "Employee",
///     predicate: try ObjectPredicate(parsing: "age >= 65"),
///     setting: ["salary": .value(.double(0)), "visits": .increment(.integer(1))]
/// )
/// let count = try context.execute(request).count
/// ```
/// Types and mandatory properties are checked, and so are unique keys; bounds, patterns and hooks are not.
public struct BatchUpdateRequest: Sendable {
    /// What a property becomes.
    public enum Expression: Sendable, Hashable {
        /// A value; `.reference` for a to-one relationship.
        case value(PropertyValue)
        /// The number that is there and this one; nothing counts as zero.
        case increment(PropertyValue)
        /// What another attribute of the object held before the batch.
        case property(String)
    }

    /// The entity of the objects.
    public var entityName: String
    /// Which of them; nil for all.
    public var predicate: ObjectPredicate?
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// By property name.
    public var properties: [String: Expression]
    /// What the result contains.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context takes over what the batch has changed; other contexts do in any case.
    public var refreshesContext = false

    /// A request of its parts.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil, setting properties: [String: Expression]) {
        self.entityName = entityName
        self.predicate = predicate
        self.properties = properties
    }
}
