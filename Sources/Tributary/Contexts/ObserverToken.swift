import Synchronization

/// What an observer was registered as, to cancel it.
///
/// ```swift
/// let observer = context.observeDidSave { context, changes in print(changes) }
/// observer.cancel()
/// ```
/// An observer stays until it is cancelled, or the context has closed: letting go of the token does not end it. The token
/// may leave a `perform`, and cancel from anywhere.
public final class ObserverToken: Sendable {
    private let isCancelled = Atomic(false)

    /// Whether the observer has not been cancelled.
    public var isActive: Bool { !isCancelled.load(ordering: .acquiring) }

    /// Ends the registration: no call of the observer begins after this, not even for what others are being notified of.
    ///
    /// The context lets go of the observer's closure, on its own queue or actor, when it next notifies; at once with
    /// ``ManagedObjectContext/removeObserver(_:)``.
    public func cancel() { isCancelled.store(true, ordering: .releasing) }
}
