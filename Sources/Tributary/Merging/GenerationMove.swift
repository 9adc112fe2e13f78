import TributaryChanges
import TributaryModel
import TributaryStore

/// Moves a context to another generation of the store, and merges what changed on the way.
struct GenerationMove {
    let context: ManagedObjectContext

    /// Moves to the newest generation.
    ///
    /// - Returns: What was merged on the way.
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

    /// Moves to the newest generation and merges what comes with it, unless the context reads what is newest anyway.
    ///
    /// - Returns: What was merged.
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

    /// Moves a context that shows a generation to what is newest, as its save would have done had it written anything.
    ///
    /// - Returns: What was merged on the way.
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

    /// Takes over what was committed since the last time; a background context reads the newest state anyway, this is
    /// about the objects that it holds already.
    func mergeNewest() {
        do {
            let (newest, changes) = try context.reader.read { reader in
                let newest = try reader.history.newestTransaction()
                let known = context.reader.mergedThrough
                guard newest > known, context.registry.count > 0 else { return (newest, ObjectChanges()) }
                let limit = context.home.pipeline.options.mailboxLimit
                let changes = try reader.allChanges(after: known, through: newest, limit: limit)
                return (newest, addingInvalidated(changes, since: known))
            }
            context.reader.mergedThrough = newest
            MergeOperation(context: context).merge(changes)
        } catch {
            context.reader.unreportedError = error
        }
    }

    /// Moves to the newest generation and merges what comes with it, then the listed changes that it did not bring.
    ///
    /// - Throws: ``ContextError`` or `StoreError`; nothing of the list is taken over then.
    func merge(_ changes: ObjectChanges) throws {
        let rest = try withoutVanished(changes, merged: try moveToNewestUnlessSaving())
        MergeOperation(context: context).merge(rest)
    }

    /// The changes that the move has not announced already, less inserted objects that are not in the store any more.
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

    /// Adds objects in use that the changes do not list although their rows are newer than the start of the changes: this
    /// context has inserted them in between, and others have deleted them since.
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
    /// What changed; everything, when the history of it has been purged.
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
