import TributaryChanges
import TributaryModel
import TributaryStore

/// A child's source when the parent is on another queue: the parent's state at the start of the child's block, with
/// the child's saves since, which the parent receives at the end of the block.
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

    /// The parent's generation; it stays the same for the length of a block.
    var generation: Generation? {
        get { state.generation }
        set {}
    }

    func read<T>(_ block: (Reader) throws -> T) throws -> T {
        if let generation = state.generation { return try generation.read(block) }
        return try store.read(block)
    }

    /// The state was taken from a parent that had processed its changes.
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

    /// Shows a save to the child at once and keeps it for the parent; returns the changes of objects that are deleted
    /// above.
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
        // The parent does not need the delta.
        var staged = save
        staged.delta = RelationshipDelta()
        saves.append(staged)
        return lost
    }
}

/// The unsaved state of all contexts above a child, as values, with the generation under it.
///
/// Creating it costs time in proportion to the unsaved objects; copies share it until one of them changes.
struct UnsavedState: Sendable {
    private(set) var objects: [ObjectKey: UnsavedObject] = [:]
    private var counts: [Int: Int] = [:]
    private var deletedRootIndexes: Set<Int> = []
    var delta = RelationshipDelta()
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

struct StagedSave: Sendable {
    enum Action: Sendable {
        case insert
        case update
        case delete
    }

    struct Object: Sendable {
        var key: ObjectKey
        var action: Action
        var image: Row
        /// By property index, transient attributes included.
        var values: [PropertyValue]
        /// All property indexes when the object is inserted.
        var changed: [Int]

        var edits: ObjectSnapshot {
            var edits: [String: PropertyValue] = [:]
            for propertyIndex in changed { edits[image.entity.properties[propertyIndex].name] = values[propertyIndex] }
            return ObjectSnapshot(id: image.id, values: edits)
        }
    }

    struct Pair: Sendable {
        var owner: ManagedObjectID
        var propertyIndex: Int
        var target: ManagedObjectID
        var isLinked: Bool
    }

    struct Order: Sendable {
        var owner: ManagedObjectID
        var propertyIndex: Int
        var ids: [ManagedObjectID]
    }

    var objects: [Object] = []
    var pairs: [Pair] = []
    var orders: [Order] = []
    /// Derived relationships are included.
    var delta = RelationshipDelta()

    var isEmpty: Bool { objects.isEmpty && pairs.isEmpty && orders.isEmpty }
}

struct ChildSave {
    let context: ManagedObjectContext

    /// `push` returns the changes that it drops, because their objects are deleted above; the parent's merge policy
    /// is not used: properties that the child has changed replace the parent's.
    func run(_ push: (StagedSave) -> [ObjectSnapshot]) {
        let staged = stagedSave()
        let objects = context.pending.objects
        let owners = context.relationships.linkedOwners
        let lost = staged.isEmpty ? [] : Set(push(staged).map(\.id))
        let touched = Set(context.pending.delta.changes.keys).union(context.pending.delta.orderings.keys)
        context.pending.finishSave()
        context.saving.request = nil
        var gone: Set<ManagedObjectID> = []
        for object in objects {
            if object.state == .deleted || lost.contains(object.objectID) {
                gone.insert(object.objectID)
                context.move(object, on: .saveDeletion(isLost: object.state != .deleted))
            } else {
                context.pending.move(object, on: .save)
                if !object.values.isEmpty { object.row = object.image() }
            }
        }
        context.relationships.dropFromRelated(gone)
        for key in touched {
            context.registry.object(key.id, rootIndex: key.rootIndex)?.extras?.related[key.propertyIndex] = nil
        }
        context.reader.invalidatePrefetched()
        for object in objects + owners { object.didSave() }
    }

    private func stagedSave() -> StagedSave {
        var staged = StagedSave()
        staged.delta = context.pending.delta
        for object in context.pending.objects {
            switch object.state {
            case .inserted: staged.objects.append(self.staged(object, .insert, Array(object.values.indices)))
            case .updated where !object.changed.isEmpty:
                staged.objects.append(self.staged(object, .update, object.changed.propertyIndexes))
            case .deleted: staged.objects.append(self.staged(object, .delete, []))
            case .updated, .clean, .gone, .detached: break
            }
            for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
                guard case .relationship(_, .links(_, ownsPairs: true)) = property,
                    let difference = context.pending.delta[RelationshipDelta.Key(object, propertyIndex)]
                else { continue }
                let owner = object.objectID
                staged.pairs += difference.removed.map {
                    StagedSave.Pair(owner: owner, propertyIndex: propertyIndex, target: $0, isLinked: false)
                }
                staged.pairs += difference.addedInOrder.map {
                    StagedSave.Pair(owner: owner, propertyIndex: propertyIndex, target: $0, isLinked: true)
                }
            }
        }
        for key in context.pending.delta.orderings.keys {
            guard let owner = context.relationships.owner(of: key), owner.state != .deleted, owner.state != .gone else {
                continue
            }
            let ids = context.relationships.relatedIDs(owner, key.propertyIndex)
            staged.orders.append(StagedSave.Order(owner: owner.objectID, propertyIndex: key.propertyIndex, ids: ids))
        }
        return staged
    }

    private func staged(_ object: ManagedObject, _ action: StagedSave.Action, _ propertyIndexes: [Int])
        -> StagedSave.Object
    {
        // An object that was deleted as a fault has no values.
        let image =
            object.values.isEmpty ? object.row(object.descriptor.defaults, revision: 0) : object.image()
        return StagedSave.Object(
            key: object.key,
            action: action,
            image: image,
            values: object.values.isEmpty ? image.values : object.values,
            changed: propertyIndexes
        )
    }
}
