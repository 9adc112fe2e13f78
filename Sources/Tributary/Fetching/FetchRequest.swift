public import Foundation
public import TributaryModel

/// A request for objects: a class or an entity, a condition, an order and limits.
///
/// ```swift
/// var request = FetchRequest<Employee>(sortKeys: [Employee.keys.name.ascending])
/// request.fetchLimit = 20
/// let employees = try context.fetch(request)
/// ```
/// A request that names an entity, `FetchRequest("Employee")`, returns objects of any class.
public struct FetchRequest<Object: ManagedObject>: Sendable, Hashable {
    /// The entity of the objects.
    public var entityName: String
    /// The condition that the objects match; nil for all objects.
    public var predicate: ObjectPredicate?
    /// The sort order; objects with equal keys are sorted by ID.
    public var sortKeys: [SortKey]
    /// The maximum number of results; nil for no limit.
    public var fetchLimit: Int?
    /// The number of results that are skipped first.
    public var fetchOffset = 0
    /// The number of objects that batches and streams read at once; 0 for their default.
    ///
    /// See ``ManagedObjectContext/fetchBatches(_:as:)``.
    public var fetchBatchSize = 0
    /// Whether the request includes objects of sub-entities.
    public var includesSubentities = true
    /// Whether the context's own unsaved inserts, updates and deletions are included.
    public var includesPendingChanges = true
    /// Whether values are read along with the IDs; otherwise objects are faults that read their rows individually.
    public var includesPropertyValues = true
    /// Whether objects are faults with rows in the row cache; by default they have their values at once.
    public var returnsObjectsAsFaults = false
    /// Relationships such as `department` or `projects.members` to prefetch, with one query for each step of a path.
    public var prefetchedKeyPaths: [String] = []
    /// The properties of dictionary results; empty for all attributes and to-one relationships.
    ///
    /// Fetches of objects always read whole rows.
    public var propertiesToFetch: [FetchedProperty] = []
    /// Whether equal dictionaries are returned once.
    public var returnsDistinctResults = false
    /// Key paths of attributes and to-one relationships that group the dictionaries.
    public var groupBy: [String] = []
    /// The condition that groups match; its key paths are names of ``propertiesToFetch``.
    public var having: ObjectPredicate?

    /// Creates a request for the objects of the class.
    public init(predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        self.init(entity: Object.entityName, predicate, sortKeys)
    }

    init(entity: String, _ predicate: ObjectPredicate?, _ sortKeys: [SortKey] = []) {
        entityName = entity
        self.predicate = predicate
        self.sortKeys = sortKeys
    }

    /// Creates a request for the objects of the class, with the predicate as text in the format language of
    /// NSPredicate.
    ///
    /// ```swift
    /// try FetchRequest<Employee>(where: "salary > %@ AND department.title IN %@", lowest, titles)
    /// ```
    ///
    /// - Throws: `ObjectPredicateError` with the position in the text.
    public init(
        where text: String,
        _ arguments: any PredicateArgumentConvertible...,
        sortKeys: [SortKey] = []
    ) throws(ObjectPredicateError) {
        let predicate = try ObjectPredicate(parsing: text, arguments: arguments.map(\.predicateArgument))
        self.init(predicate: predicate, sortKeys: sortKeys)
    }

    /// Creates a request for the objects of the class that match a typed predicate.
    ///
    /// ```swift
    /// FetchRequest<Employee>(where: Employee.keys.salary > 1000 && Employee.keys.department.title == "R&D")
    /// ```
    public init(where predicate: ObjectPredicate, sortKeys: [SortKey] = []) {
        self.init(predicate: predicate, sortKeys: sortKeys)
    }

    /// Creates a request for the objects of the class that match a `#Predicate`.
    ///
    /// ```swift
    /// try FetchRequest(where: #Predicate<Employee> { $0.name.contains("a") })
    /// ```
    ///
    /// - Throws: `ObjectPredicateError` that names the part which cannot be translated; see `ObjectPredicate`.
    public init(where predicate: Predicate<Object>, sortKeys: [SortKey] = []) throws(ObjectPredicateError) {
        self.init(predicate: try ObjectPredicate(predicate), sortKeys: sortKeys)
    }

    /// Creates a request for the objects of the class that match a `#Predicate` on their snapshots.
    ///
    /// - Throws: `ObjectPredicateError` that names the part which cannot be translated; see `ObjectPredicate`.
    public init<Snapshot: TypedSnapshot>(
        where predicate: Predicate<Snapshot>,
        sortKeys: [SortKey] = []
    ) throws(ObjectPredicateError) where Snapshot.Object == Object {
        self.init(predicate: try ObjectPredicate(predicate), sortKeys: sortKeys)
    }

    init(_ other: FetchRequest<some ManagedObject>) {
        self.init(entity: other.entityName, other.predicate, other.sortKeys)
        fetchLimit = other.fetchLimit
        fetchOffset = other.fetchOffset
        fetchBatchSize = other.fetchBatchSize
        includesSubentities = other.includesSubentities
        includesPendingChanges = other.includesPendingChanges
        includesPropertyValues = other.includesPropertyValues
        returnsObjectsAsFaults = other.returnsObjectsAsFaults
        prefetchedKeyPaths = other.prefetchedKeyPaths
        propertiesToFetch = other.propertiesToFetch
        returnsDistinctResults = other.returnsDistinctResults
        groupBy = other.groupBy
        having = other.having
    }

    var untyped: FetchRequest<ManagedObject> { FetchRequest<ManagedObject>(self) }
}

extension FetchRequest where Object == ManagedObject {
    /// Creates a request for the objects of an entity.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        self.init(entity: entityName, predicate, sortKeys)
    }

    /// Creates a request for the objects of an entity that match a typed predicate.
    public init(_ entityName: String, where predicate: ObjectPredicate, sortKeys: [SortKey] = []) {
        self.init(entity: entityName, predicate, sortKeys)
    }

    /// Creates a request with the predicate as text, in the format language of NSPredicate, and any Swift values as its
    /// arguments.
    ///
    /// ```swift
    /// try FetchRequest("Employee", where: "salary > %@ AND department.title IN %@", lowest, titles)
    /// ```
    /// A literal in brackets, `[1000, "R&D"]`, is a list of arguments.
    ///
    /// - Throws: `ObjectPredicateError` with the position in the text.
    @_disfavoredOverload
    public init(
        _ entityName: String,
        where text: String,
        _ arguments: any PredicateArgumentConvertible...,
        sortKeys: [SortKey] = []
    ) throws(ObjectPredicateError) {
        try self.init(entityName, where: text, arguments.map(\.predicateArgument), sortKeys: sortKeys)
    }

    /// Creates a request with the predicate as text, and a list of its arguments.
    ///
    /// - Throws: `ObjectPredicateError` with the position in the text.
    public init(
        _ entityName: String,
        where text: String,
        _ arguments: [PredicateArgument] = [],
        sortKeys: [SortKey] = []
    ) throws(ObjectPredicateError) {
        self.init(entity: entityName, try ObjectPredicate(parsing: text, arguments: arguments), sortKeys)
    }

    /// Creates a request that the model names, with values for its `$VARIABLES`.
    ///
    /// - Throws: ``ContextError`` `unknownFetchRequest` when the model has no request of the name,
    ///   `ObjectPredicateError` when its predicate cannot be read.
    public init(
        named name: String,
        in model: Model,
        substituting variables: [String: PredicateArgument] = [:]
    ) throws {
        guard let stored = model.fetchRequests[name] else { throw ContextError.unknownFetchRequest(name) }
        self.init(
            stored.entity,
            predicate: try stored.predicate.map { try ObjectPredicate(parsing: $0, variables: variables) }
        )
        fetchLimit = stored.fetchLimit > 0 ? stored.fetchLimit : nil
        fetchBatchSize = stored.fetchBatchSize
        includesSubentities = stored.includesSubentities
    }
}

/// One value of a dictionary result: a property, or a function of a group of objects.
///
/// ```swift
/// request.propertiesToFetch = ["department.title", .sum(of: "salary", as: "total"), .count(as: "heads")]
/// request.groupBy = ["department.title"]
/// ```
public struct FetchedProperty: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A function of the values of a group, which ignores missing values.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// The number of values, or of objects without a key path.
        case count
        /// The sum; 0 without values.
        case sum
        case min
        case max
        /// The mean; null without values.
        case average
    }

    /// The key in the result.
    public let name: String
    /// A path through to-one relationships to an attribute or a to-one relationship; `SELF` for the object itself.
    public let keyPath: String
    /// The function; nil for the value itself.
    public let function: Function?

    /// Creates the value at the end of a key path, named by the path unless a name is given.
    public init(_ keyPath: String, as name: String? = nil) {
        self.name = name ?? keyPath
        self.keyPath = keyPath
        function = nil
    }

    private init(_ function: Function, _ keyPath: String, _ name: String) {
        self.name = name
        self.keyPath = keyPath
        self.function = function
    }

    /// Creates the value at the end of a key path.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates the number of objects of a group.
    public static func count(as name: String = "count") -> FetchedProperty { FetchedProperty(.count, "SELF", name) }

    /// Creates the number of values.
    public static func count(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.count, keyPath, name)
    }

    /// Creates the sum of numbers.
    public static func sum(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.sum, keyPath, name)
    }

    /// Creates the least value.
    public static func min(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.min, keyPath, name)
    }

    /// Creates the greatest value.
    public static func max(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.max, keyPath, name)
    }

    /// Creates the mean of numbers.
    public static func average(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.average, keyPath, name)
    }
}
