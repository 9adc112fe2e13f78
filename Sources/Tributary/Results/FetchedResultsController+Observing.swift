extension FetchedResultsController {
    /// Calls `body` with each diff, after ``sections`` has changed.
    ///
    /// Any number of observers are called in the order in which they were added, after ``onChange``; ``changes()`` is for
    /// tasks.
    ///
    /// - Returns: What cancels it.
    @discardableResult
    public func observeDiffs(_ body: @escaping (FetchedResultsDiff) -> Void) -> ObserverToken {
        context.checkConfinement()
        return diffObservers.add(body)
    }

    /// Calls `body` when asking again has failed, after ``onError``.
    ///
    /// - Returns: What cancels it.
    @discardableResult
    public func observeErrors(_ body: @escaping (any Error) -> Void) -> ObserverToken {
        context.checkConfinement()
        return errorObservers.add(body)
    }
}
