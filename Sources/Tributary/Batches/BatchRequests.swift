public import TributaryChanges
public import TributaryModel

/// A request to insert objects from plain values, without creating managed objects.
///
/// Values are by property name; a property that a row omits gets the model's default. A row can set attributes and
/// to-one relationships (as `.reference`), except one-to-one relationships; it can set its own ID as `"_id"`, `.uuid`.
/// The batch checks types and mandatory properties, but not bounds, patterns and hooks.
///
/// ```swift
/// let request = BatchInsertRequest("Employee", rows: [["name": .string("Ann")], ["name": .string("Bob")]])
/// let result = try context.execute(request)
/// print(result.count)
/// ```
public struct BatchInsertRequest: Sendable {
    /// The entity of the new objects.
    public var entityName: String
    /// The contents of the result.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context merges the changes of the batch; other contexts merge them in any case.
    public var refreshesContext = false
    /// The properties that identify an object: machines that insert objects with equal values insert the same object.
    ///
    /// The identifier of a row follows from these values by `UniqueID.init(entity:key:)`. Leave it empty for new
    /// identifiers.
    public var identity: [String] = []
    let source: Source

    enum Source: Sendable {
        case rows([[String: PropertyValue]])
        case handler(@Sendable (inout [String: PropertyValue]) -> Bool)
    }

    /// Creates a request with its rows.
    public init(_ entityName: String, rows: [[String: PropertyValue]]) {
        self.entityName = entityName
        source = .rows(rows)
    }

    /// Creates a request with rows that a handler fills.
    ///
    /// - Parameters:
    ///   - entityName: the entity of the new objects.
    ///   - handler: fills an empty row, or returns true when there are no more rows.
    public init(_ entityName: String, handler: @escaping @Sendable (inout [String: PropertyValue]) -> Bool) {
        self.entityName = entityName
        source = .handler(handler)
    }
}

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
        /// The sum of the stored number and this number; a missing number is zero.
        ///
        /// A counter takes every amount. Any other property must be able to hold the sum, or the request is refused.
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

/// A request to delete all objects that match a predicate, or given objects, without creating managed objects.
///
/// The Cascade and Nullify rules are followed; when a Deny rule applies, the whole request is refused.
///
/// ```swift
/// let request = BatchDeleteRequest("Employee", predicate: try ObjectPredicate(parsing: "age > 100"))
/// try context.execute(request)
/// ```
public struct BatchDeleteRequest: Sendable {
    enum Target: Sendable {
        case query(entityName: String, predicate: ObjectPredicate?)
        case ids([ManagedObjectID])
    }

    let target: Target
    /// Whether the request includes objects of sub-entities.
    public var includesSubentities = true
    /// The contents of the result.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context merges the changes of the batch; other contexts merge them in any case.
    public var refreshesContext = false

    /// Creates a request for the objects of an entity that match the predicate, or for all when it is nil.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil) {
        target = .query(entityName: entityName, predicate: predicate)
    }

    /// Creates a request for the given objects; objects that are already deleted are ignored.
    public init(objectIDs: [ManagedObjectID]) {
        target = .ids(objectIDs)
    }
}

/// The result of a batch, with the contents that the request asked for.
public struct BatchResult: Sendable, Hashable {
    /// The contents that the request asked for.
    public let kind: BatchResultKind
    /// The number of inserted, updated or deleted objects, including those deleted by Cascade rules.
    ///
    /// Objects that already had the values are not included.
    public let count: Int
    /// The IDs of these objects when the request asked for them; otherwise empty.
    public let objectIDs: [ManagedObjectID]
    /// The batch's transaction; nil when there was nothing to write.
    public let token: HistoryToken?
}

/// The contents of a batch's result.
public enum BatchResultKind: String, Sendable, Hashable, CaseIterable {
    /// Only the success of the batch.
    case status
    /// The number of objects that were written.
    case count
    /// The IDs of the objects that were written; it takes memory for each.
    case objectIDs
}
