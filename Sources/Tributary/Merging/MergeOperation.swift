import TributaryChanges
import TributaryModel
import TributaryStore

/// Takes over what others have changed: in the store, or in the contexts above.
struct MergeOperation {
    let context: ManagedObjectContext

    /// Takes over changes that the source of the context shows.
    func merge(_ changes: ObjectChanges) {
        context.processPendingChanges()
        context.reader.invalidatePrefetched()
        guard !changes.isEmpty else { return }
        let objects = affectedObjects(changes)
        dropRelated(changes)
        let rows: [Row?]
        do {
            rows = try context.reader.read { reader in
                try objects.map { object in
                    guard !object.isFault || changes.deleted.contains(object.objectID) else { return nil }
                    return try context.reader.row(object.uniqueID, object.kind, reader)
                }
            }
        } catch {
            // The objects stay as they are until they are read again; the next save says so.
            context.reader.unreportedError = error
            return
        }
        for (object, row) in zip(objects, rows) {
            if object.isFault && !changes.deleted.contains(object.objectID) {
                context.recordChange { $0.addUpdate(of: object.objectID) }
            } else {
                merge(row, into: object)
            }
        }
        context.undoStack?.forget(objects.filter { $0.state == .gone })
        context.recordChange { notice in
            notice.inserted.formUnion(changes.inserted)
            notice.merged.formUnion(changes)
            // Several merges together may be too much to list as well.
            let isCollapsed = notice.merged.isEverything || !notice.merged.collapsedEntities.isEmpty
            notice.isEverything = notice.isEverything || isCollapsed
        }
        context.processPendingChanges()
    }

    /// Moves to a newer generation and takes over what changed on the way.
    func merge(_ changes: ObjectChanges, movingTo generation: Generation) {
        context.processPendingChanges()
        // An observer that was notified just now may have saved, and so have moved the context on already.
        if generation.number >= context.generation?.number ?? 0 { context.generation = generation }
        merge(changes)
    }

    /// Reads the objects in use again when something above the context has changed.
    func catchUp() {
        guard context.reader.isBehind else { return }
        context.reader.markCaughtUp()
        // The changes of the contexts above are listed nowhere.
        if !context.reader.isStore { context.recordChange { $0.isEverything = true } }
        guard context.registry.count > 0 else { return }
        for object in context.registry.relationshipReaders { object.extras?.related = [:] }
        let objects = context.registry.objects
        // One that was only linked here has no values, and may be deleted above all the same.
        let known = objects.filter { object in
            switch object.state {
            case .updated, .deleted: true
            case .clean: !object.values.isEmpty
            case .inserted, .gone, .detached: false
            }
        }
        do {
            let rows = try context.reader.read { reader in
                try known.map { try context.reader.row($0.uniqueID, $0.kind, reader) }
            }
            for (object, row) in zip(known, rows) { merge(row, into: object) }
            context.undoStack?.forget(known.filter { $0.state == .gone })
        } catch {
            context.reader.unreportedError = error
        }
    }

    // MARK: Which objects

    /// The objects in use that the changes may concern, looked up from the smaller side.
    private func affectedObjects(_ changes: ObjectChanges) -> [ManagedObject] {
        let isListed = changes.collapsedEntities.isEmpty && !changes.isEverything
        if isListed, changes.count < context.registry.count {
            return [changes.updated, changes.deleted, changes.inserted].joined().compactMap {
                context.registeredObject(for: $0)
            }
        }
        return context.registry.objects.filter { object in
            let id = object.objectID
            return changes.covers(id) || changes.updated.contains(id) || changes.deleted.contains(id)
                || changes.inserted.contains(id)
        }
    }

    /// Forgets what the store said of relationships whose other end may have changed.
    private func dropRelated(_ changes: ObjectChanges) {
        let roots = Set([changes.inserted, changes.updated, changes.deleted].joined().map(\.rootEntity))
            .union(changes.collapsedEntities)
        for object in context.registry.relationshipReaders {
            guard let extras = object.extras else { continue }
            extras.related = extras.related.filter { slot, _ in
                guard let destination = object.kind.entity.properties[slot].relationship?.destination,
                    let root = context.schema.kind(named: destination)?.entity.root
                else { return false }
                return !changes.isEverything && !roots.contains(root) && !roots.contains(object.kind.entity.root)
            }
        }
    }

    // MARK: One object

    /// Takes over the row that the source has for an object now; nil when it has none.
    ///
    /// The caller removes the objects that are gone then from the undo stack.
    func merge(_ row: Row?, into object: ManagedObject) {
        let row = row.flatMap { $0.entity.name == object.kind.entity.name ? $0 : nil }
        switch (object.state, row) {
        case (.inserted, _), (.gone, _), (.detached, _): break
        case (.clean, let row?):
            guard isNew(row, for: object) else { return }
            object.replace(row)
            context.recordChange { $0.addUpdate(of: object.objectID) }
        case (.updated, let row?):
            // One that was only linked and never read is read when it is needed.
            guard !object.values.isEmpty, isNew(row, for: object) else { return }
            rebase(object, on: row)
            context.recordChange { $0.addUpdate(of: object.objectID) }
        case (.deleted, let row?): object.row = row
        case (.clean, nil), (.deleted, nil), (.updated, nil): context.move(object, on: .invalidate)
        }
    }

    /// Whether a row differs from the one that the object has; a row that is not saved has no revision of its own.
    private func isNew(_ row: Row, for object: ManagedObject) -> Bool {
        guard let known = object.row, known.revision == row.revision else { return true }
        return !context.reader.isStore && known.values != row.values
    }

    /// Puts a newer row under the changes of an object.
    func rebase(_ object: ManagedObject, on row: Row) {
        var values = row.values
        for slot in object.changed.slots {
            values[slot] = object.values[slot]
            guard let property = object.kind.entity.properties[slot].relationship, !property.isToMany else { continue }
            // What is derived at the other ends was a move away from the old row's target.
            let here = object.values[slot].referencedID
            context.relationships.moveInverse(object, slot, from: here, to: object.row?.values[slot].referencedID)
            context.relationships.moveInverse(object, slot, from: row.values[slot].referencedID, to: here)
        }
        for slot in object.kind.properties.transientSlots { values[slot] = object.values[slot] }
        object.row = row
        object.values = values
    }
}
