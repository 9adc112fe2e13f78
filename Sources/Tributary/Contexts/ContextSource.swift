import TributaryChanges
import TributaryStore

/// The source of a context's rows and the destination of its saves: the store at a generation, or a parent.
///
/// A row of a context is the unsaved row of its source, or else the store's row.
protocol ContextSource: AnyObject {
    /// The generation of the store that all reads use; nil for the newest state.
    var generation: Generation? { get set }

    /// Whether there is nothing between the context and the store, so that every row has a revision.
    var isStore: Bool { get }

    /// Grows when something above has changed; then objects that are in use have to be read again.
    var version: UInt64 { get }

    /// The generation whose rows the row cache may have for the context.
    ///
    /// It is nil when the context reads the newest state, or its own transaction.
    var cachedGeneration: Int64? { get }

    /// Whether all that the source reads from the store is committed, so that other contexts may see it.
    var isCommitted: Bool { get }

    /// Reads the store under everything.
    func read<T>(_ block: (Reader) throws -> T) throws -> T

    /// Lets the contexts above process their pending changes, the topmost first.
    func processChanges()

    /// Whether contexts above have objects or links that are not saved.
    var hasUnsaved: Bool { get }

    /// The root entities of objects and links that contexts above have not saved.
    var unsavedRoots: UnsavedRoots { get }

    /// Returns an upper bound for the number of a root entity's objects that contexts above have not saved.
    ///
    /// An object that two of these contexts have changed may count twice.
    func unsavedCount(rootIndex: Int) -> Int

    /// Returns the objects of a root entity that contexts above have not saved.
    ///
    /// Objects may be there twice, and objects that were only linked may be there as well.
    func unsavedKeys(rootIndex: Int) -> [ObjectKey]

    /// Returns the unsaved state of an object in the contexts above.
    func unsaved(_ key: ObjectKey) -> UnsavedObject?

    /// Whether a context above has not saved the object.
    func isUnsaved(_ key: ObjectKey) -> Bool

    /// Returns objects that contexts above have not saved and that may have the values in the property indexes of the
    /// scope.
    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey]

    /// Returns the unsaved changes of the contexts above to a relationship.
    func relationshipChange(_ key: RelationshipDelta.Key) -> RelationshipDelta.Change?

    /// Returns the unsaved order that the contexts above have given to a relationship.
    func relationshipOrdering(_ key: RelationshipDelta.Key) -> RelationshipOrdering?

    /// Returns the unsaved state of all contexts above.
    func unsavedState() -> UnsavedState

    /// Returns the destination of validated saves.
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
