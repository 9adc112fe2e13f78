import TributaryChanges
import TributaryStore

/// The unsaved state of all contexts above a child, as values, with the generation under it.
///
/// Creating it costs time in proportion to the unsaved objects; copies share it until one of them changes.
struct UnsavedState: Sendable {
    private(set) var objects: [ObjectKey: UnsavedObject] = [:]
    private var counts: [Int: Int] = [:]
    private var deletedRootIndexes: Set<Int> = []
    var delta = RelationshipDelta()
    /// The generation that the topmost context reads; nil for the newest state.
    var generation: Generation?
    var version: UInt64 = 0

    func count(rootIndex: Int) -> Int { counts[rootIndex] ?? 0 }

    var roots: UnsavedRoots {
        UnsavedRoots(changed: Set(counts.keys), deleted: deletedRootIndexes, relationships: delta.changedRelationships)
    }

    mutating func set(_ unsaved: UnsavedObject, _ key: ObjectKey) {
        if unsaved.row == nil { deletedRootIndexes.insert(key.rootIndex) }
        if objects.updateValue(unsaved, forKey: key) == nil { counts[key.rootIndex, default: 0] += 1 }
    }
}

extension UnsavedState {
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
