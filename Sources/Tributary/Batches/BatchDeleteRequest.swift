public import TributaryChanges
public import TributaryModel

/// The deletion of all objects that fulfil a predicate, or of given ones: no managed objects are made.
///
/// Cascade and Nullify are followed; when a Deny stands the whole request is refused.
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
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// What the result contains.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context takes over what the batch has changed; other contexts do in any case.
    public var refreshesContext = false

    /// The objects of an entity that fulfil the predicate, all without one.
    public init(_ entityName: String, predicate: ObjectPredicate? = nil) {
        target = .query(entityName: entityName, predicate: predicate)
    }

    /// The given objects; those that are gone already are left out.
    public init(objectIDs: [ManagedObjectID]) {
        target = .ids(objectIDs)
    }
}
