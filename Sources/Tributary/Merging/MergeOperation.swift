import TributaryChanges
import TributaryModel
import TributaryStore

struct MergeOperation {
    let context: ManagedObjectContext

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

    /// Visits the changes or the objects in use, whichever are fewer.
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

struct AbsorbOperation {
    let context: ManagedObjectContext

    /// Properties that the child has changed replace this context's; returns the changes of objects that are deleted
    /// or gone here.
    func absorb(_ staged: StagedSave) -> [ObjectSnapshot] {
        guard !context.isClosed else { return staged.objects.map(\.edits) }
        context.checkConfinement()
        context.processPendingChanges()
        var lost: [ObjectSnapshot] = []
        for staged in staged.objects where staged.action == .insert { absorbInsert(staged) }
        for staged in staged.objects where staged.action != .delete {
            guard let object = living(staged.image.id), object.descriptor.entity.name == staged.image.entity.name else {
                lost.append(staged.edits)
                continue
            }
            for propertyIndex in staged.changed { absorb(staged.values[propertyIndex], propertyIndex, of: object) }
        }
        for pair in staged.pairs {
            guard let owner = living(pair.owner), let target = living(pair.target) else { continue }
            context.relationships.setPair(owner, pair.propertyIndex, with: target, isLinked: pair.isLinked)
        }
        for order in staged.orders {
            guard let owner = living(order.owner) else { continue }
            UndoRecorder(context: context).recordOrder(of: owner, order.propertyIndex)
            context.pending.delta.setOrder(order.ids, RelationshipDelta.Key(owner, order.propertyIndex))
            context.recordEdit(of: owner)
        }
        for staged in staged.objects where staged.action == .delete {
            if let object = living(staged.image.id) { context.delete(object) }
        }
        context.recordChange { $0.discarded += lost }
        context.processPendingChanges()
        return lost
    }

    private func living(_ id: ManagedObjectID) -> ManagedObject? {
        let object = context.object(with: id)
        if object.state == .clean, object.values.isEmpty { try? object.load() }
        switch object.state {
        case .inserted, .clean, .updated: return object
        case .deleted, .gone, .detached: return nil
        }
    }

    private func absorbInsert(_ staged: StagedSave.Object) {
        let descriptor = context.schema.descriptor(of: staged.image.id)
        let known = context.registry.object(staged.key.id, rootIndex: staged.key.rootIndex)
        if let known, known.state == .deleted { return context.relationships.resurrect(known) }
        if living(staged.image.id) == nil { _ = context.insertUnawakened(staged.key.id, descriptor) }
    }

    private func absorb(_ value: PropertyValue, _ propertyIndex: Int, of object: ManagedObject) {
        guard case .relationship(let relationship, .column) = object.descriptor.entity.properties[propertyIndex] else {
            return object.write(value, propertyIndex)
        }
        let target = value.referencedID
        guard let inverse = context.relationships.inverse(of: relationship), let target,
            inverse.descriptor.entity.properties[inverse.propertyIndex].relationship?.isToMany == false
        else { return context.relationships.setRegister(object, propertyIndex, to: target) }
        // In a one-to-one relationship, the object that has the target here loses it.
        object.setRelated(context.object(target, entity: relationship.destination), propertyIndex)
    }
}

struct RefreshOperation {
    let context: ManagedObjectContext

    func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.managedObjectContext === context, object.state != .inserted, object.state != .gone,
            object.extras?.isUnsaved != true
        else { return }
        object.extras?.related = [:]
        context.reader.invalidatePrefetched()
        guard mergeChanges else {
            // Values that the hook assigns are dropped with the others.
            if !object.values.isEmpty { object.willTurnIntoFault() }
            context.move(object, on: .refresh)
            object.turnIntoFault(isTold: true)
            return
        }
        guard !object.values.isEmpty else { return }
        let revision = object.rowRevision
        MergeOperation(context: context).merge(ObjectChanges(updated: object.objectID))
        if object.state != .gone, object.rowRevision != revision { object.awake(from: .refresh) }
    }

    func refreshAllObjects() {
        var changes = ObjectChanges(limit: .max)
        var known: [(object: ManagedObject, revision: Int64?)] = []
        for object in context.registry.objects where object.state != .inserted {
            object.extras?.related = [:]
            guard !object.values.isEmpty else { continue }
            changes.update(object.objectID)
            known.append((object, object.rowRevision))
        }
        context.reader.invalidatePrefetched()
        MergeOperation(context: context).merge(changes)
        for (object, revision) in known where object.state != .gone && object.rowRevision != revision {
            object.awake(from: .refresh)
        }
    }

    func rollback() {
        context.undoStack?.removeAllActions()
        context.pending.dropUnfollowedDeletions()
        context.reader.invalidatePrefetched()
        for object in context.pending.objects where object.isDirty {
            context.move(object, on: .rollBack(isNeverSaved: object.extras?.isUnsaved == true))
            guard object.state == .clean else { continue }
            if let row = object.row {
                object.replace(row)
                object.awake(from: .rollback)
            } else {
                object.turnIntoFault()
            }
            context.recordChange { $0.addUpdate(of: object.objectID) }
        }
        recordOtherEnds()
        context.pending.dropDelta()
        context.saving.request = nil
        context.processPendingChanges()
    }

    func reset() {
        context.forgetAll()
        defer { notifyOfEverything() }
        guard context.isMain, !context.isClosed else { return }
        let pipeline = context.home.pipeline
        do {
            context.generation = try MainActor.assumeIsolated { try pipeline.moveGenerationOfEmptyMain() }
        } catch {
            // The context still shows the former state; the next save throws the error.
            context.reader.unreportedError = ContextError(error)
        }
    }

    /// Records objects without changes of their own whose relationships have the store's state again.
    private func recordOtherEnds() {
        for key in Set(context.pending.delta.changes.keys).union(context.pending.delta.orderings.keys) {
            guard let owner = context.registry.object(key.id, rootIndex: key.rootIndex), owner.state != .gone else {
                continue
            }
            context.recordChange { $0.addUpdate(of: owner.objectID) }
        }
    }

    private func notifyOfEverything() {
        guard !context.isClosed else { return }
        context.recordChange { $0.isEverything = true }
        context.processPendingChanges()
    }
}

extension ObjectChanges {
    fileprivate init(updated id: ManagedObjectID) {
        self.init()
        update(id)
    }
}
