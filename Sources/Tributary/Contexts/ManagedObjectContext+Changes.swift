public import TributaryChanges

extension ManagedObjectContext {
    // MARK: Unsaved objects

    /// Whether a save has something to write.
    public var hasChanges: Bool {
        checkConfinement()
        return pending.count > 0
    }
    /// New objects that are not saved yet, in the order of their insertion.
    public var insertedObjects: [ManagedObject] {
        checkConfinement()
        return pending.objects.filter { $0.state == .inserted }
    }
    /// Changed objects that are not saved yet, including both ends of each link that was made or removed.
    public var updatedObjects: [ManagedObject] {
        checkConfinement()
        return pending.objects.filter { $0.state == .updated } + relationships.linkedOwners
    }
    /// Objects that the next save deletes.
    public var deletedObjects: [ManagedObject] {
        checkConfinement()
        return pending.objects.filter { $0.state == .deleted }
    }
    /// The objects that are in use now, and the objects with changes.
    public var registeredObjects: [ManagedObject] {
        checkConfinement()
        return registry.objects
    }

    // MARK: Recording

    @inline(__always)
    func recordEdit(of object: ManagedObject) {
        guard pending.recordEdit(of: object) else { return }
        recordChange { $0.addUpdate(of: object.objectID) }
    }

    func move(_ object: ManagedObject, on event: ObjectEvent) {
        let transition = ObjectTransition(from: object.state, on: event)
        let actions = transition.actions
        if actions.contains(.keepConflict), let row = object.row {
            pending.keepConflict(MergeConflict(object, row, nil, in: self))
        }
        if actions.contains(.revertInverses) { relationships.revertInverses(of: object) }
        if actions.contains(.reportLostEdits) {
            let edits = ObjectSnapshot(id: object.objectID, values: object.changedValues())
            // Reading the values may have called a hook of the program, which moved the object.
            guard object.state == transition.from else { return move(object, on: event) }
            recordChange { $0.discarded.append(edits) }
            if actions.contains(.keepConflict), !reader.isStore { pending.keepLostEdits(edits) }
        }
        pending.apply(transition, to: object)
        if actions.contains(.notifyUpdate) { recordChange { $0.addUpdate(of: object.objectID) } }
        if actions.contains(.notifyDeletion) { recordChange { $0.addDeletion(of: object.objectID) } }
    }

    @inline(__always)
    func recordChange(_ change: (inout ObjectsDidChange) -> Void) {
        observation.record(change)
        if observation.needsScheduling { scheduleProcessing() }
    }

    private func scheduleProcessing() {
        guard !observation.changes.isEmpty || pending.hasUnfollowedDeletions || undoStack != nil else { return }
        observation.isProcessingScheduled = true
        guard let container else { return }
        // The first change after a run schedules one job on the main actor; callers of `processPendingChanges()` do not
        // wait for it.
        Task { @MainActor in container.viewContext.processPendingChanges() }
    }

    // MARK: Processing

    /// Follows the delete rules and notifies the observers of the changes since the last call.
    ///
    /// It runs at the end of each `perform`, before every save, fetch and merge, and for the view context soon after a
    /// change.
    ///
    /// On the view context it also ends the group of changes that one ``undo()`` reverts.
    public func processPendingChanges() {
        checkConfinement()
        observation.isProcessingScheduled = false
        processChanges()
        if queue.isMain { endUndoGroup() }
    }

    func processChanges() {
        observation.beginEvent()
        MergeOperation(context: self).catchUp()
        relationships.followDeleteRules()
        observation.notifyOfChanges(maximumRounds: ManagedObjectContext.maximumRounds) {
            relationships.followDeleteRules()
        }
    }

    /// The limit for hooks and observers that keep changing objects.
    static let maximumRounds = 100

    // MARK: Observers

    /// Calls `block` with each group of changes, on the context's own queue or actor.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeChanges(_ block: @escaping (ObjectsDidChange) -> Void) -> ObserverToken {
        checkConfinement()
        return observation.changes.add(block)
    }

    /// Calls `block` at the start of each save that has something to write; it may change objects.
    ///
    /// Observers are called in the order of their registration, after ``onWillSave``.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeWillSave(_ block: @escaping (ManagedObjectContext) -> Void) -> ObserverToken {
        checkConfinement()
        return observation.willSaves.add(block)
    }

    /// Calls `block` after each save that has written something, with the objects that it concerns.
    ///
    /// Observers are called in the order of their registration, after ``onDidSave``.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeDidSave(_ block: @escaping (ManagedObjectContext, ObjectChanges) -> Void) -> ObserverToken {
        checkConfinement()
        return observation.didSaves.add(block)
    }

    /// Calls `block` once for each object with a row that could not be read when a property was read.
    ///
    /// See ``ManagedObject/faultError``.
    ///
    /// Observers are called in the order of their registration, after ``onInaccessibleFault``.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeInaccessibleFaults(_ block: @escaping (ManagedObject, ContextError) -> Void) -> ObserverToken {
        checkConfinement()
        return observation.inaccessibleFaults.add(block)
    }

    /// Removes an observer that ``observeChanges(_:)`` or a similar function added, and releases its closure.
    public func removeObserver(_ observer: ObserverToken) {
        checkConfinement()
        observer.cancel()
        observation.removeCancelled()
    }

    // MARK: Hooks

    /// Called at the start of each save that has something to write; may change objects.
    ///
    /// For more than one closure there is ``observeWillSave(_:)``.
    public var onWillSave: ((ManagedObjectContext) -> Void)? {
        get { observation.willSaves.first }
        set { observation.willSaves.first = newValue }
    }

    /// Called after each save that has written something, with the objects that it concerns.
    ///
    /// For more than one closure there is ``observeDidSave(_:)``.
    public var onDidSave: ((ManagedObjectContext, ObjectChanges) -> Void)? {
        get { observation.didSaves.first }
        set { observation.didSaves.first = newValue }
    }

    /// Called once for an object with a row that could not be read for a property; see ``ManagedObject/faultError``.
    ///
    /// For more than one closure there is ``observeInaccessibleFaults(_:)``.
    public var onInaccessibleFault: ((ManagedObject, ContextError) -> Void)? {
        get { observation.inaccessibleFaults.first }
        set { observation.inaccessibleFaults.first = newValue }
    }
}
