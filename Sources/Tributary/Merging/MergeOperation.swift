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
            // The objects are unchanged until they are read again; the next save throws the error.
            context.reader.unreportedError = error
            return
        }
        var lost: [ManagedObject] = []
        // The store knows these objects before the merge looks at references to them.
        for (object, row) in zip(objects, rows) { becomeStored(object, row) }
        for (object, row) in zip(objects, rows) {
            let wasGone = object.state == .gone
            if object.isFault && !changes.deleted.contains(object.objectID) {
                context.recordChange { $0.addUpdate(of: object.objectID) }
            } else {
                merge(row, into: object)
            }
            if !wasGone, object.state == .gone { lost.append(object) }
        }
        context.pending.delta.dropMoves(of: changes.deleted)
        forget(lost)
        context.relationships.readOtherEndsOfDeleted()
        context.recordChange { notification in
            notification.inserted.formUnion(changes.inserted)
            notification.merged.formUnion(changes)
            // Several merges together may also be too large for a list.
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

    func catchUp() {
        guard context.reader.isBehind else { return }
        context.reader.markCaughtUp()
        // Nobody lists the changes of the contexts above.
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
            forget(known.filter { $0.state == .gone })
        } catch {
            context.reader.unreportedError = error
        }
    }

    /// Costs a look at each step that can be undone, at each unsaved object, and at each order, for a whole merge.
    private func forget(_ gone: [ManagedObject]) {
        guard !gone.isEmpty else { return }
        context.undoStack?.forget(gone)
        context.pending.delta.dropMoves(of: Set(gone.map(\.objectID)))
        for object in context.pending.objects where !context.relationships.hasMoves(object) {
            context.relationships.unlistIfUnchanged(object)
        }
    }

    func dropRelated(_ changes: ObjectChanges) {
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
        case (.inserted, _), (.gone, nil), (.detached, _): break
        case (.gone, let row?): appear(object, row)
        case (.clean, let row?):
            guard isNew(row, for: object) else { return }
            object.replace(row)
            context.recordChange { $0.addUpdate(of: object.objectID) }
        case (.updated, let row?), (.deleted, let row?):
            // An object that was only linked and never read is read at its first access.
            guard !object.values.isEmpty, isNew(row, for: object) else { return }
            rebase(object, on: row)
            context.recordChange { $0.addUpdate(of: object.objectID) }
        case (.clean, nil), (.deleted, nil), (.updated, nil): context.move(object, on: .invalidate)
        }
    }

    /// An unsaved row has no revision of its own, so its values are compared.
    private func isNew(_ row: Row, for object: ManagedObject) -> Bool {
        guard let known = object.row, known.revision == row.revision else { return true }
        return !context.reader.isStore && known.values != row.values
    }

    /// Others have inserted an object with the ID of a new object: its values become changes of the stored object.
    private func becomeStored(_ object: ManagedObject, _ row: Row?) {
        guard object.state == .inserted, object.extras?.former == nil,
            row?.entity.name == object.descriptor.entity.name
        else { return }
        let isChanged = !object.changed.isEmpty || context.relationships.hasPairs(object)
        context.pending.move(object, on: .appear(isChanged: isChanged))
    }

    private func appear(_ object: ManagedObject, _ row: Row) {
        var row = row
        guard context.registry.object(object.uniqueID, rootIndex: object.descriptor.rootIndex) == nil else { return }
        context.appear(object, from: &row)
    }

    /// The other ends move from the new row's target now; the registers of a deleted object have no target there.
    func rebase(_ object: ManagedObject, on row: Row) {
        let isCut = object.state == .deleted && !context.pending.isUnfollowed(object)
        var moved: [(propertyIndex: Int, here: UniqueID?, isOwn: Bool)] = []
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            guard case .relationship(_, .column) = property else { continue }
            let (old, new) = (object.rowValue(propertyIndex)?.referencedID, row.values[propertyIndex].referencedID)
            guard old != new else { continue }
            let former = isCut ? nil : object.values[propertyIndex].referencedID
            let isOwn = !isCut && object.changed.contains(propertyIndex)
            let here = isCut ? nil : isOwn ? former : new
            let stays = isOwn || (here == former && here != old)
            context.relationships.moveInverse(object, propertyIndex, from: stays ? nil : former, to: old)
            moved.append((propertyIndex, here, isOwn))
        }
        object.rebase(on: row)
        for (propertyIndex, here, isOwn) in moved {
            let stored = row.values[propertyIndex].referencedID
            // An object that others have linked as well stays one that this context has added.
            let former = isOwn && stored == here ? nil : stored
            context.relationships.moveInverse(object, propertyIndex, from: former, to: here)
        }
    }
}
