import Synchronization

/// The registration of an observer, which can cancel it.
///
/// ```swift
/// let observer = context.observeDidSave { context, changes in print(changes) }
/// observer.cancel()
/// ```
/// An observer stays until it is cancelled, or the context has closed; releasing the token does not end it. The token
/// may leave a `perform`, and may cancel from anywhere.
public final class ObserverToken: Sendable {
    private let isCancelled = Atomic(false)

    /// Whether the observer has not been cancelled.
    public var isActive: Bool { !isCancelled.load(ordering: .acquiring) }

    /// Ends the registration; no call of the observer begins after this, not even for a notification in progress.
    ///
    /// The context releases the observer's closure, on its own queue or actor, when it next notifies observers;
    /// ``ManagedObjectContext/removeObserver(_:)`` releases it at once.
    public func cancel() { isCancelled.store(true, ordering: .releasing) }
}
