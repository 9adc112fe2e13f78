public import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    // MARK: Merging

    /// Takes over what others have saved: refreshes the objects that are in use, announces inserted ones, marks deleted
    /// ones.
    ///
    /// A context that shows a generation moves to the newest one first, as its save does, and merges all that came before;
    /// inserted objects that are gone again by then are not announced. A child's parent merges first. Properties that were
    /// changed here keep their values, and a later save does not conflict on what was merged.
    ///
    /// The cost grows with the IDs that are given and the objects in use that have read relationships. When the changes
    /// are not listed one by one, all objects in use are looked at.
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
            // Nothing was taken over; the next save says why.
            reader.unreportedError = ContextError(error)
        }
    }

    // MARK: Pinning

    /// Whether the context reads one unchanging generation of the store.
    ///
    /// The view context always does.
    public var isPinned: Bool { generation != nil }

    /// Reads one generation of the store from now on, the newest, whatever others save meanwhile.
    ///
    /// Objects in use are brought there. Faults, fetches, counts and relationships all read it. A save of the context
    /// moves it to the save's own transaction, merging all that came before; calling this again moves it to the newest.
    /// While it is held the write-ahead log of the store grows: hold it for the length of a piece of work.
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

    /// Reads what is newest again, and brings the objects in use there.
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

    /// A context above whose saves this context stands instead of the store, on the same queue or actor.
    ///
    /// The child sees what this context has not saved. Its save makes this context dirty and leaves the store alone;
    /// what it has changed replaces what this context has.
    ///
    /// ```swift
    /// let draft = container.viewContext.newChild(name: "draft")
    /// try draft.insert(Employee.self).name = "Ann"
    /// try draft.save()                    // the view context shows Ann
    /// try container.viewContext.save()    // the store has Ann
    /// ```
    ///
    /// A draft that comes to nothing is ended with `rollback()` or `reset()`: a context and its unsaved objects hold each
    /// other.
    ///
    /// - Parameters:
    ///   - name: a name of its own, for people; the store does not have it.
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
