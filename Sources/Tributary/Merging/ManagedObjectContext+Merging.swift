public import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    // MARK: Merging

    /// Merges saves of others: refreshes the objects in use, announces inserted ones, and marks deleted ones.
    ///
    /// A context that shows a generation first moves to the newest one, as its save does, and merges all earlier
    /// changes; inserted objects that are deleted by then are not announced. A child's parent merges first. Properties
    /// that were changed here keep their values, and a later save does not conflict with the merged changes.
    ///
    /// The cost grows with the number of IDs and of the objects in use that have read relationships. When the changes
    /// are not listed one by one, all objects in use are visited.
    public func mergeChanges(_ changes: ObjectChanges) {
        checkConfinement()
        guard !changes.isEmpty else { return processPendingChanges() }
        if let parent {
            parent.mergeChanges(changes)
            return MergeOperation(context: self).merge(changes)
        }
        do {
            try GenerationMove(context: self).merge(changes)
        } catch {
            // Nothing was merged; the next save throws the error.
            reader.unreportedError = ContextError(error)
        }
    }

    // MARK: Pinning

    /// Whether the context reads one unchanging generation of the store.
    ///
    /// The view context always does.
    public var isPinned: Bool { generation != nil }

    /// Shows one generation of the store from now on, the newest one, whatever others save meanwhile.
    ///
    /// Objects in use are updated to it. Faults, fetches, counts and relationships all read it. A save of the context
    /// moves it to the save's own transaction, and merges all earlier ones; another call of `pin()` moves it to the
    /// newest one. While a generation is held the write-ahead log of the store grows: hold it for the length of one
    /// piece of work.
    ///
    /// - Throws: ``ContextError`` when the store is closed, or the context is a child, which follows its parent, or the
    ///   view context, which moves by merging.
    public func pin() throws(ContextError) {
        checkConfinement()
        guard reader.isStore, !isMain else {
            throw ContextError.store(reason: "only a background context without a parent is pinned by hand")
        }
        do {
            try GenerationMove(context: self).pinNewest()
        } catch {
            throw ContextError(error)
        }
    }

    /// Shows the newest state again, and updates the objects in use to it.
    ///
    /// - Throws: ``ContextError`` for the view context.
    public func unpin() throws(ContextError) {
        checkConfinement()
        guard reader.isStore, !isMain else {
            throw ContextError.store(reason: "only a background context without a parent is pinned by hand")
        }
        guard let generation else { return }
        reader.mergedThrough = max(reader.mergedThrough, generation.number)
        self.generation = nil
        GenerationMove(context: self).mergeNewest()
        processPendingChanges()
    }

    // MARK: Children

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
