public import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    // MARK: Merging

    /// Merges saves of others: refreshes the objects in use, announces inserted ones, and marks deleted ones.
    ///
    /// A context that shows a generation first moves to the newest generation, like its save, and merges all earlier
    /// changes; inserted objects that are deleted by then are not announced. A child's parent merges first. Properties
    /// that were changed here keep their values, and a later save does not conflict with the merged changes.
    ///
    /// The cost grows with the number of IDs and of the objects in use that have read relationships. When the changes
    /// are not listed individually, all objects in use are visited.
    public func mergeChanges(_ changes: ObjectChanges) {
        checkConfinement()
        guard !changes.isEmpty else { return processPendingChanges() }
        if let parent {
            parent.mergeChanges(changes)
            return MergeOperation(context: self).merge(changes)
        }
        do {
            let rest = try withoutVanished(changes, merged: try moveToNewestUnlessSaving())
            MergeOperation(context: self).merge(rest)
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

    /// Shows the newest generation of the store from now on, whatever others save meanwhile.
    ///
    /// Objects in use are updated to it. Faults, fetches, counts and relationships all read it. A save of the context
    /// moves it to the save's own transaction, and merges all earlier transactions; another call of `pin()` moves it to
    /// the newest generation. While a generation is pinned, the write-ahead log of the store grows: keep it only for
    /// one piece of work.
    ///
    /// - Throws: ``ContextError`` when the store is closed, or the context is a child, which follows its parent, or the
    ///   view context, which moves by merging.
    public func pin() throws(ContextError) {
        checkConfinement()
        try checkPinnable()
        _ = try ContextError.wrapping { try pinNewest() }
    }

    /// Shows the newest state again, and updates the objects in use to it.
    ///
    /// - Throws: ``ContextError`` for the view context.
    public func unpin() throws(ContextError) {
        checkConfinement()
        try checkPinnable()
        guard let generation else { return }
        reader.mergedThrough = max(reader.mergedThrough, generation.number)
        self.generation = nil
        mergeNewest()
        processPendingChanges()
    }

    private func checkPinnable() throws(ContextError) {
        guard reader.isStore, !isMain else {
            throw .store(reason: "only a background context without a parent is pinned by hand")
        }
    }

    // MARK: Moving to another generation

    @discardableResult
    private func pinNewest() throws -> ObjectChanges {
        let old = generation
        let pinned = try store.move(from: old, connections: 1)
        let from = old?.number ?? reader.mergedThrough
        let changes = addingInvalidated(
            try pinned.read { try $0.history.changes(after: from, through: pinned.number) },
            since: from
        )
        reader.mergedThrough = pinned.number
        MergeOperation(context: self).merge(changes, movingTo: pinned)
        return changes
    }

    private func moveToNewestUnlessSaving() throws -> ObjectChanges {
        guard reader.isStore, isCommitted, generation != nil else { return ObjectChanges() }
        do {
            return try moveToNewest()
        } catch StoreError.nestedTransaction, ContextError.saveInProgress {
            // Inside a save the context stays where it is; the save moves it.
            return ObjectChanges()
        }
    }

    @discardableResult
    func moveToNewest() throws -> ObjectChanges {
        guard let generation else { return ObjectChanges() }
        guard isMain else {
            guard generation.number < (try store.read { try $0.history.newestTransaction() }) else {
                return ObjectChanges()
            }
            return try pinNewest()
        }
        let pipeline = home.pipeline
        return try MainActor.assumeIsolated { try pipeline.moveToNewest() }
    }

    func mergeNewest() {
        let known = reader.mergedThrough
        do {
            let (newest, changes) = try reader.read { reader in
                let newest = try reader.history.newestTransaction()
                // A results controller also follows inserted objects, so an observer needs the changes when no object
                // is in use.
                guard newest > known, registry.count > 0 || !observation.changes.isEmpty else {
                    return (newest, ObjectChanges())
                }
                let limit = home.pipeline.options.pendingLimit
                let changes = try reader.history.changes(after: known, through: newest, limit: limit)
                return (newest, addingInvalidated(changes, since: known))
            }
            reader.mergedThrough = newest
            MergeOperation(context: self).merge(changes)
        } catch {
            reader.unreportedError = error
        }
    }

    /// Leaves out changes that the move has announced, and inserted objects that the store no longer has.
    private func withoutVanished(_ changes: ObjectChanges, merged: ObjectChanges) throws -> ObjectChanges {
        var rest = ObjectChanges(limit: .max)
        if changes.isEverything { rest.collapseEverything() }
        for entity in changes.collapsedEntities { rest.collapse(rootEntity: entity) }
        for id in changes.updated where !merged.touches(id) { rest.update(id) }
        for id in changes.deleted where !merged.touches(id) { rest.delete(id) }
        let inserted = changes.inserted.filter { !merged.touches($0) }
        guard !inserted.isEmpty else { return rest }
        let present = Set(try reader.read { reader in try reader.rows(Array(inserted)).map(\.id) })
        for id in inserted where present.contains(id) || registeredObject(for: id) != nil { rest.insert(id) }
        return rest
    }

    private func addingInvalidated(_ changes: ObjectChanges, since known: Int64) -> ObjectChanges {
        var changes = changes
        for object in registry.objects {
            guard let row = object.row, row.revision > known, !changes.touches(object.objectID) else { continue }
            changes.delete(object.objectID)
        }
        return changes
    }

    /// Includes gone objects; visits the changes or the objects, whichever are fewer.
    func objectsInUse(touchedBy changes: ObjectChanges) -> [ManagedObject] {
        let isListed = changes.collapsedEntities.isEmpty && !changes.isEverything
        if isListed, changes.count < registry.count {
            return [changes.updated, changes.deleted, changes.inserted].joined().compactMap { id in
                guard let descriptor = schema.descriptor(named: id.rootEntity) else { return nil }
                return registry.object(id.uniqueID, rootIndex: descriptor.rootIndex)
                    ?? registry.goneObject(id.uniqueID, rootIndex: descriptor.rootIndex)
            }
        }
        return (registry.objects + registry.goneObjects).filter { changes.touches($0.objectID) }
    }
}
