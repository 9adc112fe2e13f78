import TributaryChanges
import TributaryModel
import TributaryStore

struct MergeOperation {
    let context: ManagedObjectContext

    func merge(_ changes: ObjectChanges) {
        context.processPendingChanges()
        context.reader.invalidatePrefetched()
        guard !changes.isEmpty else { return }
        let objects = context.objectsInUse(touchedBy: changes)
        dropRelated(changes)
        let rows: [Row?]
        do {
            rows = try context.reader.read { reader in
                try objects.map { object in
                    guard !object.isFault || changes.deleted.contains(object.objectID) else { return nil }
                    return try context.reader.row(object.uniqueID, object.descriptor, reader)
                }
            }
        } catch {
            // The objects stay as they are until they are read again; the next save throws the error.
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
        context.recordChange { notification in
            notification.inserted.formUnion(changes.inserted)
            notification.merged.formUnion(changes)
            // Several merges together may be too large to list as well.
            let isCollapsed = notification.merged.isEverything || !notification.merged.collapsedEntities.isEmpty
            notification.isEverything = notification.isEverything || isCollapsed
        }
        context.processPendingChanges()
    }

    func merge(_ changes: ObjectChanges, movingTo generation: Generation) {
        context.processPendingChanges()
        // An observer that was notified just now may have saved, and so have moved the context already.
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
        // An object that was only linked here has no values, and may still be deleted above.
        let known = objects.filter { object in
            switch object.state {
            case .updated, .deleted: true
            case .clean: !object.values.isEmpty
            case .inserted, .gone, .detached: false
            }
        }
        do {
            let rows = try context.reader.read { reader in
                try known.map { try context.reader.row($0.uniqueID, $0.descriptor, reader) }
            }
            for (object, row) in zip(known, rows) { merge(row, into: object) }
            context.undoStack?.forget(known.filter { $0.state == .gone })
        } catch {
            context.reader.unreportedError = error
        }
    }

    private func dropRelated(_ changes: ObjectChanges) {
        let roots = Set([changes.inserted, changes.updated, changes.deleted].joined().map(\.rootEntity))
            .union(changes.collapsedEntities)
        for object in context.registry.relationshipReaders {
            guard let extras = object.extras else { continue }
            extras.related = extras.related.filter { propertyIndex, _ in
                guard let destination = object.descriptor.entity.properties[propertyIndex].relationship?.destination,
                    let root = context.schema.descriptor(named: destination)?.entity.root
                else { return false }
                return !changes.isEverything && !roots.contains(root) && !roots.contains(object.descriptor.entity.root)
            }
        }
    }

    /// `row` is nil when the source has none; the caller removes the invalidated objects from the undo stack.
    func merge(_ row: Row?, into object: ManagedObject) {
        let row = row.flatMap { $0.entity.name == object.descriptor.entity.name ? $0 : nil }
        switch (object.state, row) {
        case (.inserted, _), (.gone, _), (.detached, _): break
        case (.clean, let row?):
            guard isNew(row, for: object) else { return }
            object.replace(row)
            context.recordChange { $0.addUpdate(of: object.objectID) }
        case (.updated, let row?):
            // An object that was only linked and never read is read at its first access.
            guard !object.values.isEmpty, isNew(row, for: object) else { return }
            rebase(object, on: row)
            context.recordChange { $0.addUpdate(of: object.objectID) }
        case (.deleted, let row?): object.row = row
        case (.clean, nil), (.deleted, nil), (.updated, nil): context.move(object, on: .invalidate)
        }
    }

    /// An unsaved row has no revision of its own, so its values are compared.
    private func isNew(_ row: Row, for object: ManagedObject) -> Bool {
        guard let known = object.row, known.revision == row.revision else { return true }
        return !context.reader.isStore && known.values != row.values
    }

    func rebase(_ object: ManagedObject, on row: Row) {
        var values = row.values
        for propertyIndex in object.changed.propertyIndexes {
            values[propertyIndex] = object.values[propertyIndex]
            guard let property = object.descriptor.entity.properties[propertyIndex].relationship, !property.isToMany,
                object.row?.values[propertyIndex] != row.values[propertyIndex]
            else { continue }
            // The derived other ends recorded a move from the old row's target; they now record one from the new row's
            // target.
            let here = object.values[propertyIndex].referencedID
            context.relationships.moveInverse(
                object,
                propertyIndex,
                from: here,
                to: object.row?.values[propertyIndex].referencedID
            )
            context.relationships.moveInverse(
                object,
                propertyIndex,
                from: row.values[propertyIndex].referencedID,
                to: here
            )
        }
        for propertyIndex in object.descriptor.properties.transientIndexes {
            values[propertyIndex] = object.values[propertyIndex]
        }
        object.row = row
        object.values = values
    }
}
