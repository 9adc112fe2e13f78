import TributaryChanges

extension ManagedObjectContext {
    /// Refreshes an object from the store; an object that was never saved stays as it is.
    ///
    /// - Parameters:
    ///   - object: an object of this context.
    ///   - mergeChanges: true keeps unsaved changes on top of the newest row; false drops them, and the object becomes
    ///     a fault.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        checkConfinement()
        guard object.managedObjectContext === self, object.state != .inserted, object.state != .gone,
            object.extras?.isUnsaved != true
        else { return }
        object.extras?.related = [:]
        reader.invalidatePrefetched()
        guard mergeChanges else {
            // Values that the hook assigns are dropped with the others.
            if !object.values.isEmpty { object.willTurnIntoFault() }
            move(object, on: .refresh)
            object.turnIntoFault(isTold: true)
            return
        }
        guard !object.values.isEmpty else { return }
        let revision = object.rowRevision
        MergeOperation(context: self).merge(ObjectChanges(updated: object.objectID))
        if object.state != .gone, object.rowRevision != revision { object.awake(from: .refresh) }
    }

    /// Refreshes every object in use from the store, and keeps unsaved changes on top.
    public func refreshAllObjects() {
        checkConfinement()
        var changes = ObjectChanges(limit: .max)
        var known: [(object: ManagedObject, revision: Int64?)] = []
        for object in registry.objects where object.state != .inserted {
            object.extras?.related = [:]
            guard !object.values.isEmpty else { continue }
            changes.update(object.objectID)
            known.append((object, object.rowRevision))
        }
        reader.invalidatePrefetched()
        MergeOperation(context: self).merge(changes)
        for (object, revision) in known where object.state != .gone && object.rowRevision != revision {
            object.awake(from: .refresh)
        }
    }

    /// Drops all unsaved changes: new objects are removed, changed and deleted ones have their stored values again.
    public func rollback() {
        checkConfinement()
        undoStack?.removeAllActions()
        pending.dropUnfollowedDeletions()
        reader.invalidatePrefetched()
        for object in pending.objects where object.isDirty {
            move(object, on: .rollBack(isNeverSaved: object.extras?.isUnsaved == true))
            var object = object
            while object.state == .gone, let former = object.extras?.former {
                object.extras?.former = nil
                pending.move(former, on: .restore(.clean))
                object = former
            }
            guard object.state == .clean else { continue }
            if let row = object.row {
                object.replace(row)
                object.awake(from: .rollback)
            } else {
                object.turnIntoFault()
            }
            recordChange { $0.addUpdate(of: object.objectID) }
        }
        recordOtherEnds()
        pending.dropDelta()
        saving.request = nil
        processPendingChanges()
    }

    /// Removes all objects and all changes.
    ///
    /// Objects that are still referenced keep their IDs and last values, and no longer have a context. The view context
    /// shows the newest state afterwards.
    public func reset() {
        checkConfinement()
        forgetAll()
        defer {
            if !isClosed {
                recordChange { $0.isEverything = true }
                processPendingChanges()
            }
        }
        guard isMain, !isClosed else { return }
        let pipeline = home.pipeline
        do {
            generation = try MainActor.assumeIsolated { try pipeline.moveGenerationOfEmptyMain() }
        } catch {
            // The context still shows the former state; the next save throws the error.
            reader.unreportedError = ContextError(error)
        }
    }

    private func recordOtherEnds() {
        for key in pending.delta.keys {
            guard let owner = registry.object(key.id, rootIndex: key.rootIndex), owner.state != .gone else {
                continue
            }
            recordChange { $0.addUpdate(of: owner.objectID) }
        }
    }
}

extension ObjectChanges {
    fileprivate init(updated id: ManagedObjectID) {
        self.init()
        update(id)
    }
}
