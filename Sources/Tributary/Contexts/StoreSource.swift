import TributaryChanges
import TributaryStore

/// The store as a context's source: at a generation, or at the newest state when each read begins.
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
