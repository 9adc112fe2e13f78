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
    /// A reader that is slow gets the newest state only. The sequence ends when the object's context is reset; a deletion
    /// does not end it, because an undo brings the object back.
    public func updates() -> AsyncStream<ObjectUpdate> {
        let (stream, continuation) = AsyncStream<ObjectUpdate>.makeStream(bufferingPolicy: .bufferingNewest(1))
        guard let context = managedObjectContext else {
            continuation.finish()
            return stream
        }
        let id = objectID
        var number = 0
        // Objects hold their context, so the context must not hold the object through its observer.
        number = context.observeChanges { [weak self, weak context] notice in
            guard let self, self.managedObjectContext === context else {
                continuation.finish()
                context?.removeObserver(number)
                return
            }
            let isTouched =
                notice.updated.contains(id) || notice.inserted.contains(id) || notice.deleted.contains(id)
                || notice.merged.touches(id) || notice.isEverything
            guard isTouched else { return }
            let isGone = self.state == .gone || self.state == .deleted
            if case .terminated = continuation.yield(isGone ? .deleted(id) : .changed(self.snapshot())) {
                context?.removeObserver(number)
            }
        }
        return stream
    }
}
