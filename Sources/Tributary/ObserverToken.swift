/// What an observer was registered as, to cancel it.
///
/// ```swift
/// let observer = context.observeDidSave { context, changes in journal.append(changes) }
/// observer.cancel()
/// ```
/// An observer stays until it is cancelled, or the context has closed: letting go of the token does not end it. The token
/// stays with the context that it came from, like the context's objects.
public final class ObserverToken {
    private var remove: (() -> Void)?

    init(_ remove: @escaping () -> Void) {
        self.remove = remove
    }

    /// Whether the observer has not been cancelled.
    public var isActive: Bool { remove != nil }

    /// Ends the registration: the observer is not called any more, not even for what others are being told now.
    public func cancel() {
        let remove = remove
        self.remove = nil
        remove?()
    }
}
