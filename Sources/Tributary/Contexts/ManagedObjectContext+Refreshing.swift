import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Brings an object up to date with the store.
    ///
    /// - Parameters:
    ///   - object: one of this context.
    ///   - mergeChanges: true keeps what was changed here on top of the newest row; false drops it, and the object
    ///     becomes a fault.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        checkConfinement()
        guard object.managedObjectContext === self, object.state != .inserted, object.state != .gone else { return }
        object.extras?.related = [:]
        passCount &+= 1
        guard mergeChanges else {
            // What the hook assigns goes with the rest.
            if !object.values.isEmpty { object.willTurnIntoFault() }
            move(object, on: .refresh)
            object.turnIntoFault(isTold: true)
            return
        }
        guard !object.values.isEmpty else { return }
        let revision = object.row?.revision
        merge(ObjectChanges(updated: object.objectID))
        if object.state != .gone, object.row?.revision != revision { object.awake(from: .refresh) }
    }

    /// The same for every object in use, with what was changed here on top.
    public func refreshAllObjects() {
        checkConfinement()
        var changes = ObjectChanges(limit: .max)
        var known: [(object: ManagedObject, revision: Int64?)] = []
        for object in registry.objects where object.state != .inserted {
            object.extras?.related = [:]
            guard !object.values.isEmpty else { continue }
            changes.update(object.objectID)
            known.append((object, object.row?.revision))
        }
        passCount &+= 1
        merge(changes)
        for (object, revision) in known where object.state != .gone && object.row?.revision != revision {
            object.awake(from: .refresh)
        }
    }

    /// Drops every change that is not saved: new objects go, changed and deleted ones are as they were read.
    public func rollback() {
        checkConfinement()
        undoStack?.removeAllActions()
        pending.dropUnfollowedDeletions()
        passCount &+= 1
        for object in pending.objects where object.isDirty {
            move(object, on: .rollBack(isNeverSaved: object.extras?.isUnsaved == true))
            guard object.state == .clean else { continue }
            if let row = object.row {
                object.replace(row)
                object.awake(from: .rollback)
            } else {
                object.turnIntoFault()
            }
            noteChange { $0.noteUpdated(object.objectID) }
        }
        noteOtherEnds()
        pending.dropDelta()
        request = nil
        processPendingChanges()
    }

    /// Tells of objects without changes of their own whose relationships are as they were again.
    private func noteOtherEnds() {
        for key in Set(pending.delta.changes.keys).union(pending.delta.orderings.keys) {
            guard let owner = registry.object(key.id, rootIndex: key.rootIndex), owner.state != .gone else { continue }
            noteChange { $0.noteUpdated(owner.objectID) }
        }
    }

    /// Forgets all objects and all changes.
    ///
    /// Objects that are still held keep their IDs and last values, and have no context any more. The view context shows
    /// the newest state afterwards.
    public func reset() {
        checkConfinement()
        forgetAll()
        defer { tellEverything() }
        guard isMain, !isClosed else { return }
        let pipeline = home.pipeline
        do {
            generation = try MainActor.assumeIsolated { try pipeline.moveEmptyMain() }
        } catch {
            // It still shows the state of before; the next save says why.
            pendingReadError = ContextError(error)
        }
    }

    /// Tells the observers that whatever they have of the context is no more.
    private func tellEverything() {
        guard !isClosed else { return }
        noteChange { $0.isEverything = true }
        processPendingChanges()
    }

    /// Forgets all objects and all changes; the context stays where it is.
    func forgetAll() {
        undoStack?.removeAllActions()
        passCount &+= 1
        pending.detachAll()
        pendingReadError = nil
        observers.forgetPending()
        request = nil
    }
}

extension ObjectChanges {
    /// One changed object.
    fileprivate init(updated id: ManagedObjectID) {
        self.init()
        update(id)
    }
}
