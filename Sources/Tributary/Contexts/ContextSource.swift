import TributaryChanges
import TributaryStore

/// The source of a context's rows and the destination of its saves: the store at a generation, or a parent.
///
/// A row of a context is the unsaved row of its source, or else the store's row.
protocol ContextSource: AnyObject {
    /// nil for the newest state.
    var generation: Generation? { get set }

    /// Nothing is between the context and the store, so every row has a revision.
    var isStore: Bool { get }

    /// Grows when something above has changed; then objects that are in use have to be read again.
    var version: UInt64 { get }

    /// The generation whose rows the row cache may have for the context; nil when it reads the newest state, or its own
    /// transaction.
    var cachedGeneration: Int64? { get }

    var isCommitted: Bool { get }

    func read<T>(_ block: (Reader) throws -> T) throws -> T

    /// The topmost context first.
    func processChanges()

    var hasUnsaved: Bool { get }

    var unsavedRoots: UnsavedRoots { get }

    /// Returns an upper bound: an object that two of the contexts above have changed may count twice.
    func unsavedCount(rootIndex: Int) -> Int

    /// Some objects may be in the list twice, and some may only be linked.
    func unsavedKeys(rootIndex: Int) -> [ObjectKey]

    func unsaved(_ key: ObjectKey) -> UnsavedObject?

    func isUnsaved(_ key: ObjectKey) -> Bool

    /// Returns objects that contexts above have not saved and that may have the values in the property indexes of the
    /// scope.
    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey]

    func relationshipChange(_ key: RelationshipDelta.Key) -> RelationshipDelta.Change?

    func relationshipOrdering(_ key: RelationshipDelta.Key) -> RelationshipOrdering?

    func unsavedState() -> UnsavedState

    func destination() throws(ContextError) -> SaveDestination
}

extension ContextSource {
    var isStore: Bool { false }
    var version: UInt64 { 0 }
    var cachedGeneration: Int64? { isCommitted ? generation?.number : nil }
    var isCommitted: Bool { true }
}

enum SaveDestination {
    case store(JoinedSaves)
    /// The parent receives changes as values, and returns the changes of objects that it has deleted: it drops them.
    case parent((StagedSave) -> [ObjectSnapshot])
}

/// The root entities of unsaved changes, by index; entities without changes may be among them.
struct UnsavedRoots {
    var changed: Set<Int> = []
    var deleted: Set<Int> = []
    var relationships: Set<RelationshipDelta.Identity> = []
}

final class StoreSource: ContextSource {
    private let store: Store
    var generation: Generation?
    private let saves = JoinedSaves()

    init(store: Store, generation: Generation?) {
        self.store = store
        self.generation = generation
    }

    func read<T>(_ block: (Reader) throws -> T) throws -> T {
        if let transaction = saves.transaction { return try block(transaction.reader) }
        if let generation { return try generation.read(block) }
        return try store.read(block)
    }

    var isStore: Bool { true }

    var isCommitted: Bool { saves.transaction == nil }

    func processChanges() {}

    var hasUnsaved: Bool { false }

    var unsavedRoots: UnsavedRoots { UnsavedRoots() }

    func unsavedCount(rootIndex: Int) -> Int { 0 }

    func unsavedKeys(rootIndex: Int) -> [ObjectKey] { [] }

    func unsaved(_ key: ObjectKey) -> UnsavedObject? { nil }

    func isUnsaved(_ key: ObjectKey) -> Bool { false }

    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey] { [] }

    func relationshipChange(_ key: RelationshipDelta.Key) -> RelationshipDelta.Change? { nil }

    func relationshipOrdering(_ key: RelationshipDelta.Key) -> RelationshipOrdering? { nil }

    func unsavedState() -> UnsavedState { UnsavedState() }

    func destination() -> SaveDestination { .store(saves) }
}
