import TributaryChanges
import TributaryModel
import TributaryStore

/// Refreshes objects from the store, or reverts them to it.
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

    /// Notifies observers that any object of the context may have changed.
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
