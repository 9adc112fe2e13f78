public import TributaryChanges
public import TributaryModel

/// A scratch pad of managed objects, bound to one queue.
public final class ManagedObjectContext {
    public var name: String? { nil }
    public var author: String?

    /// A new object of the entity; `id` is a UUID of the caller's.
    @discardableResult
    public func insert(entity name: String, id: UniqueID? = nil) throws -> ManagedObject { fatalError("stub") }
    public func delete(_ object: ManagedObject) { fatalError("stub") }
    /// The object, possibly as a fault.
    public func object(with id: ManagedObjectID) -> ManagedObject { fatalError("stub") }
    /// The object, or an error when there is none.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject { fatalError("stub") }
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] { fatalError("stub") }
    public func count(for request: FetchRequest) throws -> Int { fatalError("stub") }
    public var hasChanges: Bool { fatalError("stub") }
    /// Validates, checks conflicts, writes everything in one transaction, announces it.
    public func save() throws { fatalError("stub") }
    public func rollback() { fatalError("stub") }
    public func reset() { fatalError("stub") }
    /// The transaction of the last save in this context.
    public var lastSaveToken: HistoryToken? { fatalError("stub") }
}

/// What to do when an object was changed in the store after the context had read it.
public enum MergePolicy: Sendable, Hashable {
    /// The save throws the conflicts.
    case error
    /// What the context changed stands, property by property.
    case objectTrump
    /// What the store has stands, property by property.
    case storeTrump
    /// The context's whole object stands.
    case overwrite
    /// The context's changes to the object are dropped.
    case rollback
}

/// An object of a context. Values are read and written by name or through the typed properties of a subclass.
open class ManagedObject {
    public var objectID: ManagedObjectID { fatalError("stub") }
    public func value(forKey key: String) throws -> PropertyValue { fatalError("stub") }
    public func setValue(_ value: PropertyValue, forKey key: String) throws { fatalError("stub") }
}

/// What to fetch.
public struct FetchRequest: Sendable {
    public var entityName: String
    public var predicate: ObjectPredicate?
    public var sortKeys: [SortKey] = []
    public var fetchLimit: Int?
    public var fetchOffset = 0
    public var includesSubentities = true

    public init(_ entityName: String, predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
    }
}
