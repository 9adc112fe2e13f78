import TributaryChanges

/// Who is notified of what happens in a context, and what observers of the changes have not been notified of yet.
final class ContextObservers {
    typealias WillSave = (ManagedObjectContext) -> Void
    typealias DidSave = (ManagedObjectContext, ObjectChanges) -> Void
    typealias InaccessibleFault = (ManagedObject, ContextError) -> Void

    let changes = ObserverList<(ObjectsDidChange) -> Void>()
    let willSaves = ObserverList<WillSave>()
    let didSaves = ObserverList<DidSave>()
    let inaccessibleFaults = ObserverList<InaccessibleFault>()
    /// The closures that are properties of the context; they are called before the observers.
    var onWillSave: WillSave?
    var onDidSave: DidSave?
    var onInaccessibleFault: InaccessibleFault?

    private var pending = ObjectsDidChange()
    /// Whether the observers are being notified: what they change follows after that, not in the middle of it.
    private var isNotifying = false

    /// Adds to what the observers are notified of next; costs nothing while nobody observes.
    @inline(__always)
    func note(_ change: (inout ObjectsDidChange) -> Void) {
        if !changes.isEmpty { change(&pending) }
    }

    func forgetPending() { pending = ObjectsDidChange() }

    /// Notifies all observers of the changes, round by round: an observer may change objects, fetch and save, and what
    /// comes of it follows in a round of its own, when all observers have been notified of this one.
    ///
    /// - Parameters:
    ///   - maximumRounds: how often observers may go on changing objects.
    ///   - afterRound: called after each round.
    func notifyOfChanges(maximumRounds: Int, afterRound: () -> Void) {
        guard !isNotifying else { return }
        isNotifying = true
        defer { isNotifying = false }
        var rounds = 0
        while !pending.isEmpty, rounds < maximumRounds {
            let notice = pending
            pending = ObjectsDidChange()
            changes.forEach { $0(notice) }
            afterRound()
            rounds += 1
        }
    }

    func notifyOfSaveStart(_ context: ManagedObjectContext) {
        onWillSave?(context)
        willSaves.forEach { $0(context) }
    }

    func notifyOfSaveEnd(_ context: ManagedObjectContext, _ changes: ObjectChanges) {
        onDidSave?(context, changes)
        didSaves.forEach { $0(context, changes) }
    }

    func notify(_ error: ContextError, of object: ManagedObject) {
        onInaccessibleFault?(object, error)
        inaccessibleFaults.forEach { $0(object, error) }
    }

    /// Lets go of observers that were cancelled.
    func removeCancelled() {
        changes.removeCancelled()
        willSaves.removeCancelled()
        didSaves.removeCancelled()
        inaccessibleFaults.removeCancelled()
    }

    func removeAll() {
        changes.removeAll()
        willSaves.removeAll()
        didSaves.removeAll()
        inaccessibleFaults.removeAll()
    }
}
