import TributaryChanges

extension ManagedObjectContext {
    // MARK: What is dirty

    /// Whether a save has something to write.
    public var hasChanges: Bool {
        checkConfinement()
        return pending.count > 0
    }
    /// New objects that are not saved yet, in the order in which they were inserted.
    public var insertedObjects: [ManagedObject] {
        checkConfinement()
        return pending.objects.filter { $0.state == .inserted }
    }
    /// Changed objects that are not saved yet, also those to or from which others were linked.
    public var updatedObjects: [ManagedObject] {
        checkConfinement()
        return pending.objects.filter { $0.state == .updated } + linkedOwners
    }
    /// Objects that the next save deletes.
    public var deletedObjects: [ManagedObject] {
        checkConfinement()
        return pending.objects.filter { $0.state == .deleted }
    }
    /// The objects that are in use now, and those with changes.
    public var registeredObjects: [ManagedObject] {
        checkConfinement()
        return registry.objects
    }

    /// An attribute, a register or a pair of the object has changed.
    @inline(__always)
    func noteUpdate(of object: ManagedObject) {
        guard pending.recordEdit(of: object) else { return }
        noteChange { $0.noteUpdated(object.objectID) }
    }

    // MARK: Telling

    /// Adds to what the observers are told next; costs nothing while nobody observes.
    @inline(__always)
    func noteChange(_ note: (inout ObjectsDidChange) -> Void) {
        observers.note(note)
        if isMain, !isProcessingScheduled { scheduleProcessing() }
    }

    private func scheduleProcessing() {
        guard !observers.changes.isEmpty || !pending.unfollowedDeletions.isEmpty || undoStack != nil else { return }
        isProcessingScheduled = true
        guard let container else { return }
        // The first change after a run puts one job on the main actor; who asks sooner does not wait for it.
        Task { @MainActor in container.viewContext.processPendingChanges() }
    }

    /// Follows the delete rules and tells the observers what has changed since the last time.
    ///
    /// It runs at the end of each `perform`, before every save, fetch and merge, and for the view context soon after a
    /// change.
    ///
    /// On the view context it also ends the group of changes that one ``undo()`` takes back.
    public func processPendingChanges() {
        checkConfinement()
        isProcessingScheduled = false
        processChanges()
        if isMain { undoStack?.endEvent() }
    }

    /// The same in the middle of a job, which is not over for undo.
    func processChanges() {
        event &+= 1
        catchUp()
        propagateDeletions()
        observers.notifyOfChanges(maximumRounds: ManagedObjectContext.maximumRounds) { propagateDeletions() }
    }

    /// How often hooks and observers may go on changing objects.
    static let maximumRounds = 100
}
