import TributaryChanges
import TributaryModel
import TributaryStore

/// Moves a context to another generation of the store, and merges the changes in between.
struct GenerationMove {
    let context: ManagedObjectContext

    @discardableResult
    func pinNewest() throws -> ObjectChanges {
        let old = context.generation
        let pinned = try context.store.move(from: old, connections: 1)
        let from = old?.number ?? context.reader.mergedThrough
        let changes = addingInvalidated(
            try pinned.read { try $0.allChanges(after: from, through: pinned.number) },
            since: from
        )
        context.reader.mergedThrough = pinned.number
        MergeOperation(context: context).merge(changes, movingTo: pinned)
        return changes
    }

    /// Moves to the newest generation and merges its changes, unless the context reads the newest state anyway.
    func moveToNewestUnlessSaving() throws -> ObjectChanges {
        guard context.reader.isStore, context.source.isCommitted, context.generation != nil else {
            return ObjectChanges()
        }
        do {
            return try moveToNewest()
        } catch StoreError.nestedTransaction, ContextError.saveInProgress {
            // Inside a save the context stays where it is; the save moves it.
            return ObjectChanges()
        }
    }

    /// Moves a context that shows a generation to the newest one, as its save would have done if it had written.
    @discardableResult
    func moveToNewest() throws -> ObjectChanges {
        guard let generation = context.generation else { return ObjectChanges() }
        guard context.isMain else {
            guard generation.number < (try context.store.read { try $0.history.newestTransaction() }) else {
                return ObjectChanges()
            }
            return try pinNewest()
        }
        let pipeline = context.home.pipeline
        return try MainActor.assumeIsolated { try pipeline.moveToNewest() }
    }

    /// Merges the changes that were committed since the last call.
    ///
    /// A background context reads the newest state anyway; this updates the objects that it holds already.
    func mergeNewest() {
        do {
            let (newest, changes) = try context.reader.read { reader in
                let newest = try reader.history.newestTransaction()
                let known = context.reader.mergedThrough
                guard newest > known, context.registry.count > 0 else { return (newest, ObjectChanges()) }
                let limit = context.home.pipeline.options.pendingLimit
                let changes = try reader.allChanges(after: known, through: newest, limit: limit)
                return (newest, addingInvalidated(changes, since: known))
            }
            context.reader.mergedThrough = newest
            MergeOperation(context: context).merge(changes)
        } catch {
            context.reader.unreportedError = error
        }
    }

    /// Moves to the newest generation and merges its changes, then the listed changes that it did not include.
    func merge(_ changes: ObjectChanges) throws {
        let rest = try withoutVanished(changes, merged: try moveToNewestUnlessSaving())
        MergeOperation(context: context).merge(rest)
    }

    /// Returns the changes that the move has not announced, less inserted objects that the store no longer has.
    func withoutVanished(_ changes: ObjectChanges, merged: ObjectChanges) throws -> ObjectChanges {
        var rest = ObjectChanges(limit: .max)
        if changes.isEverything { rest.collapseEverything() }
        for entity in changes.collapsedEntities { rest.collapse(rootEntity: entity) }
        for id in changes.updated where !merged.touches(id) { rest.update(id) }
        for id in changes.deleted where !merged.touches(id) { rest.delete(id) }
        let inserted = changes.inserted.filter { !merged.touches($0) }
        guard !inserted.isEmpty else { return rest }
        let present = Set(try context.reader.read { reader in try reader.rows(Array(inserted)).map(\.id) })
        for id in inserted where present.contains(id) || context.registeredObject(for: id) != nil { rest.insert(id) }
        return rest
    }

    /// Adds objects that this context has inserted and others have deleted since, which the changes omit.
    func addingInvalidated(_ changes: ObjectChanges, since known: Int64) -> ObjectChanges {
        var changes = changes
        for object in context.registry.objects {
            guard let row = object.row, row.revision > known, !changes.touches(object.objectID) else { continue }
            changes.delete(object.objectID)
        }
        return changes
    }
}

extension Reader {
    /// Returns the changes between two transactions, or "everything" when their history has been purged.
    func allChanges(
        after number: Int64,
        through: Int64,
        limit: Int = ObjectChanges.defaultLimit
    ) throws -> ObjectChanges {
        guard number < (try history.oldestNumber()) else {
            return try history.changes(after: number, through: through, limit: limit)
        }
        var everything = ObjectChanges()
        everything.collapseEverything()
        return everything
    }
}
