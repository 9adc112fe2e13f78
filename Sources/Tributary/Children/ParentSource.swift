import TributaryChanges
import TributaryStore

final class ParentSource: ContextSource {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    var version: UInt64 { context.stateVersion }

    /// The parent's generation; it moves with the parent alone.
    var generation: Generation? {
        get { context.generation }
        set {}
    }

    var isCommitted: Bool { context.source.isCommitted }

    func read<T>(_ block: (Reader) throws -> T) throws -> T { try context.source.read(block) }

    func processChanges() {
        context.source.processChanges()
        context.checkConfinement()
        context.processChanges()
    }

    var hasUnsaved: Bool { context.pending.count > 0 || !context.pending.delta.isEmpty || context.source.hasUnsaved }

    var unsavedRoots: UnsavedRoots {
        var roots = context.source.unsavedRoots
        roots.changed.formUnion(context.pending.list.rootIndexes)
        roots.deleted.formUnion(context.pending.list.deletedRootIndexes)
        roots.relationships.formUnion(context.pending.delta.changedRelationships)
        return roots
    }

    func unsavedCount(rootIndex: Int) -> Int {
        context.pending.count(rootIndex: rootIndex) + context.source.unsavedCount(rootIndex: rootIndex)
    }

    func unsavedKeys(rootIndex: Int) -> [ObjectKey] {
        var keys = context.source.unsavedKeys(rootIndex: rootIndex)
        for object in context.pending.visitAll() where object.descriptor.rootIndex == rootIndex {
            keys.append(object.key)
        }
        return keys
    }

    func isUnsaved(_ key: ObjectKey) -> Bool {
        if let object = context.registry.object(key.id, rootIndex: key.rootIndex), object.isUnsaved { return true }
        return context.source.isUnsaved(key)
    }

    func unsaved(_ key: ObjectKey) -> UnsavedObject? {
        if let object = context.registry.object(key.id, rootIndex: key.rootIndex), let unsaved = object.unsaved {
            return unsaved
        }
        return context.source.unsaved(key)
    }

    func unsavedKeys(of values: [PropertyValue], in scope: DirtyKeyIndex.Scope) -> [ObjectKey] {
        context.processChanges()
        return context.pending.objects(values, in: scope, version: context.reader.shownVersion).map(\.key)
            + context.source.unsavedKeys(of: values, in: scope)
    }

    func relationshipChange(_ key: RelationshipDelta.Key) -> RelationshipDelta.Change? {
        let above = context.source.relationshipChange(key)
        guard let own = context.pending.delta[key] else { return above }
        return above.map { $0.adding(own) } ?? own
    }

    func relationshipOrdering(_ key: RelationshipDelta.Key) -> RelationshipOrdering? {
        if let own = context.pending.delta.orderings[key] { return own }
        guard var above = context.source.relationshipOrdering(key) else { return nil }
        for id in context.pending.delta[key]?.addedInOrder ?? [] { above.append(id) }
        return above
    }

    func unsavedState() -> UnsavedState { UnsavedState(of: context) }

    func destination() throws(ContextError) -> SaveDestination {
        guard !context.isClosed else { throw .closed }
        return .parent { [context] staged in AbsorbOperation(context: context).absorb(staged) }
    }
}

extension ManagedObjectContext {
    /// Creates a context on the same queue or actor whose saves go to this context instead of the store.
    ///
    /// The child sees the unsaved changes of this context. Its save makes unsaved changes in this context and does not
    /// write to the store; properties that the child has changed replace those of this context.
    ///
    /// ```swift
    /// let draft = container.viewContext.newChild(name: "draft")
    /// try draft.insert(Employee.self).name = "Ann"
    /// try draft.save()                    // the view context shows Ann
    /// try container.viewContext.save()    // the store has Ann
    /// ```
    ///
    /// A discarded draft must be ended with `rollback()` or `reset()`: a context and its unsaved objects hold each
    /// other.
    ///
    /// - Parameters:
    ///   - name: a display name; the store does not have it.
    ///   - mergePolicy: kept for the child's own children; a save into a parent has no conflicts.
    /// - Returns: A context that is used where this one is; it holds this one.
    public func newChild(name: String? = nil, mergePolicy: MergePolicy = .objectTrump) -> ManagedObjectContext {
        checkConfinement()
        let child = ManagedObjectContext(
            home: home,
            name: name,
            author: author,
            mergePolicy: mergePolicy,
            source: ParentSource(self),
            parent: self
        )
        child.reader.markCaughtUp()
        return child
    }
}
