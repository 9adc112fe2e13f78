import TributaryChanges
import TributaryStore

/// All that the contexts above a child have not saved, as values, with the generation under it.
///
/// Taking it costs what is unsaved there; copies share it until one of them changes.
struct UnsavedState: Sendable {
    private(set) var objects: [ObjectKey: UnsavedObject] = [:]
    /// How many of the objects are of each root entity.
    private var counts: [Int: Int] = [:]
    /// Root entities of which an object was deleted.
    private var deletedRootIndexes: Set<Int> = []
    var delta = RelationshipDelta()
    /// The generation that the topmost context reads; nil for what is newest.
    var generation: Generation?
    /// Moves when anything above has changed.
    var version: UInt64 = 0

    /// How many of the objects are of a root entity.
    func count(rootIndex: Int) -> Int { counts[rootIndex] ?? 0 }

    /// What the objects and links concern.
    var roots: UnsavedRoots {
        UnsavedRoots(changed: Set(counts.keys), deleted: deletedRootIndexes, relationships: delta.changedRelationships)
    }

    /// An object is unsaved, as it is given.
    mutating func set(_ unsaved: UnsavedObject, _ key: ObjectKey) {
        if unsaved.row == nil { deletedRootIndexes.insert(key.rootIndex) }
        if objects.updateValue(unsaved, forKey: key) == nil { counts[key.rootIndex, default: 0] += 1 }
    }
}

extension UnsavedState {
    /// What a child of a context sees above the store.
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
