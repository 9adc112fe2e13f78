import TributaryChanges
import TributaryStore

/// The unsaved state of all contexts above a child, as values, with the generation under it.
///
/// Creating it costs time in proportion to the unsaved objects; copies share it until one of them changes.
struct UnsavedState: Sendable {
    private(set) var objects: [ObjectKey: UnsavedObject] = [:]
    /// The number of unsaved objects by root entity.
    private var counts: [Int: Int] = [:]
    /// Root entities with a deleted object.
    private var deletedRootIndexes: Set<Int> = []
    var delta = RelationshipDelta()
    /// The generation that the topmost context reads; nil for the newest state.
    var generation: Generation?
    /// Grows when anything above has changed.
    var version: UInt64 = 0

    /// Returns the number of unsaved objects of a root entity.
    func count(rootIndex: Int) -> Int { counts[rootIndex] ?? 0 }

    /// The root entities of the objects and links.
    var roots: UnsavedRoots {
        UnsavedRoots(changed: Set(counts.keys), deleted: deletedRootIndexes, relationships: delta.changedRelationships)
    }

    /// Sets the unsaved state of an object.
    mutating func set(_ unsaved: UnsavedObject, _ key: ObjectKey) {
        if unsaved.row == nil { deletedRootIndexes.insert(key.rootIndex) }
        if objects.updateValue(unsaved, forKey: key) == nil { counts[key.rootIndex, default: 0] += 1 }
    }
}

extension UnsavedState {
    /// Creates the unsaved state that a child of the context sees above the store.
    init(of context: ManagedObjectContext) {
        context.checkConfinement()
        context.processChanges()
        self = context.source.unsavedState()
        for object in context.pending.objects {
            if let unsaved = object.unsaved { set(unsaved, object.key) }
        }
        delta.add(context.pending.delta)
        generation = context.generation
        version = context.stateVersion
    }
}
