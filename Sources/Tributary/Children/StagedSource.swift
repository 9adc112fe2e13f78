import TributaryChanges
import TributaryStore

/// A child's source when the parent is on another queue: the parent's state at the start of the child's block, with the
/// saves that the child has made since, which the parent receives at the end of the block.
final class StagedSource: ContextSource {
    private let store: Store
    private var state = UnsavedState()
    private(set) var keys = UnsavedKeyIndex()
    private var saves: [StagedSave] = []
    private(set) var version: UInt64 = 0

    init(store: Store) {
        self.store = store
    }

    func begin(_ state: UnsavedState) {
        // Without a generation, any save may have changed the values of objects in use.
        let isSame =
            state.version == self.state.version && state.generation != nil
            && state.generation === self.state.generation
        self.state = state
        keys.removeAll()
        if !isSame { version &+= 1 }
    }

    func removeSaves() -> [StagedSave] {
        defer { saves = [] }
        return saves
    }

    /// The parent's generation, which stays the same for the length of a block.
    var generation: Generation? {
        get { state.generation }
        set {}
    }

    func read<T>(_ block: (Reader) throws -> T) throws -> T {
        if let generation = state.generation { return try generation.read(block) }
        return try store.read(block)
    }

    /// Does nothing: the state was taken from a parent that had processed its changes.
    func processChanges() {}

    var hasUnsaved: Bool { !state.objects.isEmpty || !state.delta.isEmpty }

    var unsavedRoots: UnsavedRoots { state.roots }

    func unsavedCount(rootIndex: Int) -> Int { state.count(rootIndex: rootIndex) }

    func unsavedKeys(rootIndex: Int) -> [ObjectKey] { state.objects.keys.filter { $0.rootIndex == rootIndex } }

    func unsaved(_ key: ObjectKey) -> UnsavedObject? { state.objects[key] }

    func isUnsaved(_ key: ObjectKey) -> Bool { state.objects[key] != nil }

    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey] {
        keys.keys(of: values, in: scope, objects: state.objects)
    }

    func relationshipChange(_ key: RelationshipDelta.Key) -> RelationshipDelta.Change? { state.delta[key] }

    func relationshipOrdering(_ key: RelationshipDelta.Key) -> RelationshipOrdering? { state.delta.orderings[key] }

    func unsavedState() -> UnsavedState { state }

    func destination() -> SaveDestination { .parent { self.stage($0) } }

    /// Makes a save visible to the child at once, and keeps it for the parent; returns changes of objects that are
    /// deleted above.
    private func stage(_ save: StagedSave) -> [ObjectSnapshot] {
        var lost: [ObjectSnapshot] = []
        for object in save.objects {
            let known = state.objects[object.key]
            if object.action == .update, let known, known.row == nil {
                lost.append(object.edits)
            } else {
                let unsaved = UnsavedObject(
                    row: object.action == .delete ? nil : object.image,
                    isInserted: object.action == .insert || known?.isInserted == true
                )
                state.set(unsaved, object.key)
                keys.insert(object.key, unsaved)
            }
        }
        state.delta.add(save.delta)
        // The parent does not need it.
        var staged = save
        staged.delta = RelationshipDelta()
        saves.append(staged)
        return lost
    }
}
