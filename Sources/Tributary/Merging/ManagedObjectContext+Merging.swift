public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Takes over what others have saved: refreshes the objects that are in use, tells of inserted ones, marks deleted
    /// ones.
    ///
    /// A context that shows a generation moves to the newest one first, as its save does, and merges all that came before;
    /// inserted objects that are gone again by then are not told of. A child's parent merges first. Properties that were
    /// changed here keep their values, and a later save does not conflict on what was merged.
    ///
    /// The cost grows with the IDs that are given and the objects in use that have read relationships. When the changes
    /// are not listed one by one, all objects in use are looked at.
    public func mergeChanges(_ changes: ObjectChanges) {
        checkConfinement()
        guard !changes.isEmpty else { return processPendingChanges() }
        if let parent {
            parent.mergeChanges(changes)
            return merge(changes)
        }
        do {
            merge(try withoutVanished(changes, merged: try moveToNewest()))
        } catch {
            // Nothing was taken over; the next save says why.
            pendingReadError = ContextError(error)
        }
    }

    /// Moves to the newest generation and merges what comes with it, unless the context reads what is newest anyway.
    ///
    /// - Returns: What was merged.
    private func moveToNewest() throws -> ObjectChanges {
        guard source.isStore, source.isCommitted, generation != nil else { return ObjectChanges() }
        do {
            return try showNewest()
        } catch StoreError.nestedTransaction, ContextError.saveInProgress {
            // Inside a save the context stays where it is; the save moves it.
            return ObjectChanges()
        }
    }

    /// The changes of which the move has not told already, less the inserted objects that are not in the store any more.
    private func withoutVanished(_ changes: ObjectChanges, merged: ObjectChanges) throws -> ObjectChanges {
        var rest = ObjectChanges(limit: .max)
        if changes.isEverything { rest.collapseEverything() }
        for entity in changes.collapsedEntities { rest.collapse(rootEntity: entity) }
        for id in changes.updated where !merged.touches(id) { rest.update(id) }
        for id in changes.deleted where !merged.touches(id) { rest.delete(id) }
        let inserted = changes.inserted.filter { !merged.touches($0) }
        guard !inserted.isEmpty else { return rest }
        let present = Set(try read { reader in try reader.rows(Array(inserted)).map(\.id) })
        for id in inserted where present.contains(id) || registeredObject(for: id) != nil { rest.insert(id) }
        return rest
    }

    /// Takes over changes that the source of the context shows.
    func merge(_ changes: ObjectChanges) {
        processPendingChanges()
        passCount &+= 1
        guard !changes.isEmpty else { return }
        let objects = affectedObjects(changes)
        dropRelated(changes)
        let rows: [Row?]
        do {
            rows = try read { reader in
                try objects.map { object in
                    guard !object.isFault || changes.deleted.contains(object.objectID) else { return nil }
                    return try row(object.uniqueID, object.kind, reader)
                }
            }
        } catch {
            // The objects stay as they are until they are read again; the next save says so.
            pendingReadError = error
            return
        }
        for (object, row) in zip(objects, rows) {
            if object.isFault && !changes.deleted.contains(object.objectID) {
                noteChange { $0.noteUpdated(object.objectID) }
            } else {
                merge(row, into: object)
            }
        }
        undoStack?.forget(objects.filter { $0.state == .gone })
        noteChange { notice in
            notice.inserted.formUnion(changes.inserted)
            notice.merged.formUnion(changes)
            // Several merges together may be too much to list as well.
            let isCollapsed = notice.merged.isEverything || !notice.merged.collapsedEntities.isEmpty
            notice.isEverything = notice.isEverything || isCollapsed
        }
        processPendingChanges()
    }

    /// Moves to a newer generation and takes over what changed on the way.
    func merge(_ changes: ObjectChanges, movingTo generation: Generation) {
        processPendingChanges()
        // Who was told just now, or by the save that this is part of, may have saved and so moved on already.
        if generation.number >= self.generation?.number ?? 0 { self.generation = generation }
        merge(changes)
    }

    /// Takes over what was committed since the last time; a background context reads the newest state anyway, this is
    /// about the objects that it holds already.
    func mergeNewest() {
        do {
            let (newest, changes) = try read { reader in
                let newest = try reader.newestTransaction()
                let known = mergedThrough
                guard newest > known, registry.count > 0 else { return (newest, ObjectChanges()) }
                let limit = home.pipeline.options.mailboxLimit
                let changes = try reader.allChanges(after: known, through: newest, limit: limit)
                return (newest, withThoseThatCameAndWent(changes, since: known))
            }
            mergedThrough = newest
            merge(changes)
        } catch {
            pendingReadError = error
        }
    }

    /// The changes with the objects in use of which they say nothing, although the objects are newer than the changes
    /// begin: this context has inserted them in between, and others have deleted them since.
    func withThoseThatCameAndWent(_ changes: ObjectChanges, since known: Int64) -> ObjectChanges {
        var changes = changes
        for object in registry.objects {
            guard let row = object.row, row.revision > known, !changes.touches(object.objectID) else { continue }
            changes.delete(object.objectID)
        }
        return changes
    }

    // MARK: Which objects

    /// The objects in use that the changes may concern, looked up from the smaller side.
    private func affectedObjects(_ changes: ObjectChanges) -> [ManagedObject] {
        let isListed = changes.collapsedEntities.isEmpty && !changes.isEverything
        if isListed, changes.count < registry.count {
            return [changes.updated, changes.deleted, changes.inserted].joined().compactMap {
                registeredObject(for: $0)
            }
        }
        return registry.objects.filter { object in
            let id = object.objectID
            return changes.covers(id) || changes.updated.contains(id) || changes.deleted.contains(id)
                || changes.inserted.contains(id)
        }
    }

    /// Forgets what the store said of relationships whose other end may have changed.
    private func dropRelated(_ changes: ObjectChanges) {
        let roots = Set([changes.inserted, changes.updated, changes.deleted].joined().map(\.rootEntity))
            .union(changes.collapsedEntities)
        for object in registry.relationshipReaders {
            guard let extras = object.extras else { continue }
            extras.related = extras.related.filter { slot, _ in
                guard let destination = object.kind.entity.properties[slot].relationship?.destination,
                    let root = schema.kind(named: destination)?.entity.root
                else { return false }
                return !changes.isEverything && !roots.contains(root) && !roots.contains(object.kind.entity.root)
            }
        }
    }

    // MARK: One object

    /// The table of cases: what the object is here against what it is in the store now.
    ///
    /// The caller removes the objects that are gone then from the undo stack.
    func merge(_ row: Row?, into object: ManagedObject) {
        let row = row.flatMap { $0.entity.name == object.kind.entity.name ? $0 : nil }
        switch (object.state, row) {
        case (.inserted, _), (.gone, _), (.detached, _): break
        case (.clean, let row?):
            guard isNews(row, for: object) else { return }
            object.replace(row)
            noteChange { $0.noteUpdated(object.objectID) }
        case (.updated, let row?):
            // One that was only linked and never read is read when it is needed.
            guard !object.values.isEmpty, isNews(row, for: object) else { return }
            rebase(object, on: row)
            noteChange { $0.noteUpdated(object.objectID) }
        case (.deleted, let row?): object.row = row
        case (.clean, nil), (.deleted, nil), (.updated, nil): move(object, on: .invalidate)
        }
    }

    /// Whether a row says anything that the object does not know; one that is not saved has no revision of its own.
    private func isNews(_ row: Row, for object: ManagedObject) -> Bool {
        guard let known = object.row, known.revision == row.revision else { return true }
        return !source.isStore && known.values != row.values
    }

    /// Puts a newer row under the changes of an object.
    func rebase(_ object: ManagedObject, on row: Row) {
        var values = row.values
        for slot in object.changed.slots {
            values[slot] = object.values[slot]
            guard let property = object.kind.entity.properties[slot].relationship, !property.isToMany else { continue }
            // What is derived at the other ends was a move away from the old row's target.
            let here = object.values[slot].referencedID
            moveInverse(object, slot, from: here, to: object.row?.values[slot].referencedID)
            moveInverse(object, slot, from: row.values[slot].referencedID, to: here)
        }
        for slot in object.kind.transientSlots { values[slot] = object.values[slot] }
        object.row = row
        object.values = values
    }

    /// Moves an object by an event, and does what the transition asks of the rest of the context.
    func move(_ object: ManagedObject, on event: ObjectEvent) {
        let transition = ObjectTransition(from: object.state, on: event)
        let actions = transition.actions
        if actions.contains(.keepConflict), let row = object.row {
            pending.keepConflict(conflict(object, row, nil))
        }
        if actions.contains(.revertInverses) { revertInverses(of: object) }
        if actions.contains(.reportLostEdits) {
            let edits = ObjectSnapshot(id: object.objectID, values: object.changedValues())
            noteChange { $0.discarded.append(edits) }
        }
        pending.apply(transition, to: object)
        if actions.contains(.notifyUpdate) { noteChange { $0.noteUpdated(object.objectID) } }
        if actions.contains(.notifyDeletion) { noteChange { $0.noteDeleted(object.objectID) } }
    }

    /// Takes back what the changes of an object have done to the other ends.
    func revertInverses(of object: ManagedObject) {
        for (slot, property) in object.kind.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property else { continue }
            switch storage {
            case .column:
                guard !object.values.isEmpty else { continue }
                let stored = object.row?.values[slot].referencedID
                let here = object.state == .deleted ? nil : object.values[slot].referencedID
                if here != stored { moveInverse(object, slot, from: here, to: stored) }
            case .links:
                revertPairs(object, slot, relationship)
            case .inverse: continue
            }
        }
    }

    private func revertPairs(_ object: ManagedObject, _ slot: Int, _ relationship: Relationship) {
        guard let difference = pending.delta[key(object, slot)] else { return }
        if let (kind, inverseSlot) = inverse(of: relationship) {
            for (ids, isAdded) in [(Array(difference.added.keys), true), (Array(difference.removed), false)] {
                for id in ids {
                    let there = RelationshipKey(rootIndex: kind.rootIndex, id: id.uniqueID, slot: inverseSlot)
                    if isAdded {
                        pending.delta.remove(object.objectID, from: there)
                    } else {
                        pending.delta.add(object.objectID, to: there)
                    }
                }
            }
        }
        pending.delta.forget(key(object, slot))
    }
}
