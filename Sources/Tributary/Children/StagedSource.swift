import TributaryChanges
import TributaryStore

/// The parent's state at the start of the child's block, and saves that the parent receives at its end.
final class StagedSource: ContextParent {
    private let store: Store
    private var state = UnsavedState()
    private(set) var keys = UnsavedKeyIndex()
    private var saves: [StagedSave] = []
    private(set) var stateVersion: UInt64 = 0

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
        if !isSame { stateVersion &+= 1 }
    }

    func removeSaves() -> [StagedSave] {
        defer { saves = [] }
        return saves
    }

    var generation: Generation? { state.generation }

    var isCommitted: Bool { true }

    func read<T>(_ block: (Reader) throws -> T) throws -> T {
        if let generation = state.generation { return try generation.read(block) }
        return try store.read(block)
    }

    func processAllChanges() {}

    var hasUnsaved: Bool { !state.objects.isEmpty || state.hasRelationships }

    var unsavedRoots: UnsavedRoots { state.roots }

    func unsavedCount(rootIndex: Int) -> Int { state.count(rootIndex: rootIndex) }

    func unsavedKeys(rootIndex: Int) -> [ObjectKey] { state.objects.keys.filter { $0.rootIndex == rootIndex } }

    func unsaved(_ key: ObjectKey) -> UnsavedObject? { state.objects[key] }

    func isUnsaved(_ key: ObjectKey) -> Bool { state.objects[key] != nil }

    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey] {
        keys.keys(of: values, in: scope, objects: state.objects)
    }

    func related(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) -> [ManagedObjectID] {
        state.related(ids, at: key)
    }

    func unsavedState() -> UnsavedState { state }

    func absorb(_ save: StagedSave) -> [ObjectSnapshot] {
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
        state.add(save.delta)
        // The parent does not need the delta.
        var staged = save
        staged.delta = RelationshipDelta()
        saves.append(staged)
        return lost
    }
}

/// Creating it costs time in proportion to the unsaved objects; copies share it until one of them changes.
struct UnsavedState: Sendable {
    private(set) var objects: [ObjectKey: UnsavedObject] = [:]
    private var counts: [Int: Int] = [:]
    private var deletedRootIndexes: Set<Int> = []
    private var deltas: [RelationshipDelta] = []
    var generation: Generation?
    var version: UInt64 = 0

    func count(rootIndex: Int) -> Int { counts[rootIndex] ?? 0 }

    var roots: UnsavedRoots {
        let relationships = deltas.reduce(into: Set()) { $0.formUnion($1.changedRelationships) }
        return UnsavedRoots(changed: Set(counts.keys), deleted: deletedRootIndexes, relationships: relationships)
    }

    var hasRelationships: Bool { !deltas.isEmpty }

    /// A move applies to the list that the context above shows, so deltas with moves are not combined.
    mutating func add(_ delta: RelationshipDelta) {
        guard !delta.isEmpty else { return }
        if deltas.last?.hasMoves == false, !delta.hasMoves {
            deltas[deltas.count - 1].add(delta)
        } else {
            deltas.append(delta)
        }
    }

    /// Costs a look-up for each context or save with moves; `ids` are the store's objects.
    func related(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) -> [ManagedObjectID] {
        deltas.reduce(ids) { $1.related($0, at: key) }
    }

    mutating func set(_ unsaved: UnsavedObject, _ key: ObjectKey) {
        if unsaved.row == nil { deletedRootIndexes.insert(key.rootIndex) }
        if objects.updateValue(unsaved, forKey: key) == nil { counts[key.rootIndex, default: 0] += 1 }
    }
}

/// An entry may be out of date: the caller compares the values with the key again.
struct UnsavedKeyIndex {
    private var indexes: [DirtyKeyIndex.Scope: [[PropertyValue]: [ObjectKey]]] = [:]
    private(set) var visited = 0

    private static let limit = 16

    mutating func insert(_ key: ObjectKey, _ unsaved: UnsavedObject) {
        for scope in indexes.keys { insert(key, unsaved, scope) }
    }

    mutating func removeAll() { indexes = [:] }

    mutating func keys(
        of values: [PropertyValue],
        in scope: DirtyKeyIndex.Scope,
        objects: [ObjectKey: UnsavedObject]
    ) -> [ObjectKey] {
        if indexes[scope] == nil {
            if indexes.count >= UnsavedKeyIndex.limit { removeAll() }
            indexes[scope] = [:]
            for (key, unsaved) in objects { insert(key, unsaved, scope) }
        }
        return indexes[scope]?[values] ?? []
    }

    private mutating func insert(_ key: ObjectKey, _ unsaved: UnsavedObject, _ scope: DirtyKeyIndex.Scope) {
        guard key.rootIndex == scope.rootIndex, let row = unsaved.row else { return }
        visited += 1
        let values = scope.propertyIndexes.map { row.values.indices.contains($0) ? row.values[$0] : .null }
        // An object that is saved repeatedly has one entry.
        guard indexes[scope]?[values]?.last != key else { return }
        indexes[scope]?[values, default: []].append(key)
    }
}

struct UnsavedObject: Sendable {
    var row: Row?
    var isInserted: Bool
}
