import TributaryChanges
import TributaryStore

protocol ContextParent: AnyObject {
    var generation: Generation? { get }

    /// False while a transaction that the parent's saves join is open.
    var isCommitted: Bool { get }

    /// Grows when a context above has changed; then objects in use have to be read again.
    var stateVersion: UInt64 { get }

    func read<T>(_ block: (Reader) throws -> T) throws -> T

    /// The topmost context first, because its changes may change objects below.
    func processAllChanges()

    var hasUnsaved: Bool { get }

    var unsavedRoots: UnsavedRoots { get }

    /// An upper bound: an object with changes in two of the contexts above may be included twice.
    func unsavedCount(rootIndex: Int) -> Int

    /// Some objects may be in the list twice, and some may only be linked.
    func unsavedKeys(rootIndex: Int) -> [ObjectKey]

    /// May include objects that no longer have the values.
    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey]

    func unsaved(_ key: ObjectKey) -> UnsavedObject?

    func isUnsaved(_ key: ObjectKey) -> Bool

    func related(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) -> [ManagedObjectID]

    func unsavedState() -> UnsavedState

    /// Returns the changes of objects that are deleted here: these changes are dropped.
    func absorb(_ save: StagedSave) throws(ContextError) -> [ObjectSnapshot]
}

struct UnsavedRoots {
    var changed: Set<Int> = []
    var deleted: Set<Int> = []
    var relationships: Set<RelationshipDelta.Identity> = []
}

extension ManagedObjectContext: ContextParent {
    var isCommitted: Bool { reader.isCommitted }

    func read<T>(_ block: (Reader) throws -> T) throws -> T { try reader.readSource(block) }

    func processAllChanges() {
        above?.processAllChanges()
        checkConfinement()
        processChanges()
    }

    var hasUnsaved: Bool { pending.count > 0 || !pending.delta.isEmpty || above?.hasUnsaved == true }

    var unsavedRoots: UnsavedRoots {
        var roots = above?.unsavedRoots ?? UnsavedRoots()
        roots.changed.formUnion(pending.list.rootIndexes)
        roots.deleted.formUnion(pending.list.deletedRootIndexes)
        roots.relationships.formUnion(pending.delta.changedRelationships)
        return roots
    }

    func unsavedCount(rootIndex: Int) -> Int {
        pending.count(rootIndex: rootIndex) + (above?.unsavedCount(rootIndex: rootIndex) ?? 0)
    }

    func unsavedKeys(rootIndex: Int) -> [ObjectKey] {
        (above?.unsavedKeys(rootIndex: rootIndex) ?? [])
            + pending.visitAll().filter { $0.descriptor.rootIndex == rootIndex }.map(\.key)
    }

    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey] {
        processChanges()
        return pending.objects(values, in: scope, version: reader.shownVersion).map(\.key)
            + (above?.unsavedKeys(of: values, in: scope) ?? [])
    }

    func unsaved(_ key: ObjectKey) -> UnsavedObject? {
        registry.object(key.id, rootIndex: key.rootIndex)?.unsaved ?? above?.unsaved(key)
    }

    func isUnsaved(_ key: ObjectKey) -> Bool {
        registry.object(key.id, rootIndex: key.rootIndex)?.isUnsaved == true || above?.isUnsaved(key) == true
    }

    func related(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key) -> [ManagedObjectID] {
        pending.delta.related(above?.related(ids, at: key) ?? ids, at: key)
    }

    func unsavedState() -> UnsavedState {
        checkConfinement()
        processChanges()
        var state = above?.unsavedState() ?? UnsavedState()
        for object in pending.objects {
            if let unsaved = object.unsaved { state.set(unsaved, object.key) }
        }
        state.add(pending.delta)
        state.generation = generation
        state.version = stateVersion
        return state
    }

    func absorb(_ save: StagedSave) throws(ContextError) -> [ObjectSnapshot] {
        guard !isClosed else { throw .closed }
        return AbsorbOperation(context: self).absorb(save)
    }
}

extension ManagedObjectContext {
    /// Creates a context on the same queue or actor that saves into this context instead of the store.
    ///
    /// The child sees the unsaved changes of this context. Its save makes unsaved changes in this context and does not
    /// write to the store; properties that the child has changed replace the properties of this context.
    ///
    /// ```swift
    /// let draft = container.viewContext.newChild(name: "draft")
    /// try draft.insert(Employee.self).name = "Ann"
    /// try draft.save()                    // the view context shows Ann
    /// try container.viewContext.save()    // the store has Ann
    /// ```
    ///
    /// A discarded draft must be ended with `rollback()` or `reset()`: a context and its unsaved objects hold each
    /// other until this context is released.
    ///
    /// - Parameters:
    ///   - name: a display name; the store does not have it.
    ///   - mergePolicy: decides about changes of objects that this context has deleted. Under `error`, the child's save
    ///     throws ``ConflictError``, and this context takes nothing. Under any other policy the changes are lost: both
    ///     contexts list them in ``ObjectsDidChange/discarded``. A save into a parent has no other conflicts.
    /// - Returns: A context for the same queue or actor; it holds this context.
    public func newChild(name: String? = nil, mergePolicy: MergePolicy = .objectTrump) -> ManagedObjectContext {
        checkConfinement()
        let child = ManagedObjectContext(
            home: home,
            name: name,
            author: author,
            mergePolicy: mergePolicy,
            parent: self
        )
        children.insert(child)
        child.reader.markCaughtUp()
        return child
    }
}
