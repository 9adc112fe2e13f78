extension FetchedResultsController {
    /// Calls `block` with each diff, after ``sections`` has changed.
    ///
    /// Any number of observers are called in the order in which they were added, after ``onChange``; ``changes()`` is
    /// for tasks.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeDiffs(_ block: @escaping (FetchedResultsDiff) -> Void) -> ObserverToken {
        context.checkConfinement()
        return diffObservers.add(block)
    }

    /// Calls `block` when a fetch after a change has failed, after ``onError``.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeErrors(_ block: @escaping (any Error) -> Void) -> ObserverToken {
        context.checkConfinement()
        return errorObservers.add(block)
    }
}
