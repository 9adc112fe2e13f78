public import TributaryChanges
public import TributaryModel

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
