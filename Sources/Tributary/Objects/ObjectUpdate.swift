import Synchronization
public import TributaryChanges

/// What happened to one object, from ``ManagedObject/updates()``.
public enum ObjectUpdate: Sendable, Hashable {
    /// It has changed, here or by a merge: its values now, unsaved ones included.
    case changed(ObjectSnapshot)
    /// It was deleted, here or elsewhere.
    case deleted(ManagedObjectID)
}

extension ManagedObject {
    /// The object's changes from now on: its own context's and merged ones.
    ///
    /// ```swift
    /// for await update in employee.updates() {
    ///     if case .changed(let now) = update { label.text = "\(now["name"])" }
    /// }
    /// ```
    /// A reader that is slow gets the newest state only. The sequence ends when the object's context is reset or its
    /// container closed; a deletion does not end it, because an undo brings the object back.
    public func updates() -> AsyncStream<ObjectUpdate> {
        let (stream, continuation) = AsyncStream<ObjectUpdate>.makeStream(bufferingPolicy: .bufferingNewest(1))
        guard let context = managedObjectContext else {
            continuation.finish()
            return stream
        }
        let id = objectID
        let reader = UpdateReader()
        continuation.onTermination = { _ in reader.leave() }
        // Whoever lets go of the observer ends the stream: the context does when it closes.
        let ending = Ending { continuation.finish() }
        var observer: ObserverToken?
        // Objects hold their context, so the context must not hold the object through its observer.
        observer = context.observeChanges { [weak self, weak context] notice in
            guard !reader.isGone, let self, self.managedObjectContext === context else {
                observer?.cancel()
                return
            }
            let isTouched =
                notice.updated.contains(id) || notice.inserted.contains(id) || notice.deleted.contains(id)
                || notice.merged.touches(id) || notice.isEverything
            guard isTouched else { return }
            let isGone = self.state == .gone || self.state == .deleted
            withExtendedLifetime(ending) {
                _ = continuation.yield(isGone ? .deleted(id) : .changed(self.snapshot()))
            }
        }
        return stream
    }

    /// Whether somebody still reads a stream.
    private final class UpdateReader: Sendable {
        private let state = Atomic(false)

        var isGone: Bool { state.load(ordering: .relaxed) }

        func leave() { state.store(true, ordering: .relaxed) }
    }
}
