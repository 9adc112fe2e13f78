import TributaryChanges
import TributaryStore

/// Where a context's rows come from and where its saves go: the store at a generation, or a parent.
///
/// A row of a context is what its source has unsaved, else what the store has.
protocol ContextSource: AnyObject {
    /// The generation of the store under everything; nil for what is newest.
    var generation: Generation? { get set }

    /// Whether there is nothing between the context and the store, so that every row has a revision.
    var isStore: Bool { get }

    /// Moves when something above has changed; then objects that are in use have to be read again.
    var version: UInt64 { get }

    /// The generation whose rows the row cache may have for the context; nil when it reads what is newest, or its own
    /// transaction.
    var cachedGeneration: Int64? { get }

    /// Whether everything that it reads of the store is committed, so that others may see it.
    var isCommitted: Bool { get }

    /// Reads the store under everything.
    func read<T>(_ body: (Reader) throws -> T) throws -> T

    /// Lets the contexts above process what has happened to their objects, the topmost first.
    func processChanges()

    /// Whether contexts above have objects or links that are not saved.
    var hasUnsaved: Bool { get }

    /// What the objects and links concern that contexts above have not saved.
    var unsavedRoots: UnsavedRoots { get }

    /// How many objects of a root entity contexts above have not saved, or more: one that two of them have changed may
    /// count twice.
    func unsavedCount(rootIndex: Int) -> Int

    /// The objects of a root entity that contexts above have not saved, some perhaps twice, and some that were only linked.
    func unsavedKeys(rootIndex: Int) -> [ObjectKey]

    /// An object that a context above has not saved.
    func unsaved(_ key: ObjectKey) -> UnsavedObject?

    /// Whether a context above has not saved the object.
    func isUnsaved(_ key: ObjectKey) -> Bool

    /// Objects that contexts above have not saved and that may have the values in the slots of the scope.
    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey]

    /// What the contexts above have changed about a relationship and not saved.
    func relationshipChange(_ key: RelationshipDelta.Key) -> RelationshipDelta.Change?

    /// The order that the contexts above have given to a relationship and not saved.
    func relationshipOrdering(_ key: RelationshipDelta.Key) -> RelationshipOrdering?

    /// Everything that is unsaved above.
    func unsavedState() -> UnsavedState

    /// Where saves go that have been validated.
    ///
    /// - Throws: ``ContextError`` `closed` when the parent has ended.
    func destination() throws(ContextError) -> SaveDestination
}

extension ContextSource {
    var isStore: Bool { false }
    var version: UInt64 { 0 }
    var cachedGeneration: Int64? { isCommitted ? generation?.number : nil }
    var isCommitted: Bool { true }
}
