public import TributaryChanges

extension ManagedObjectContext {
    // MARK: Observers

    /// Calls `body` with each group of changes, on the context's own queue or actor.
    ///
    /// - Returns: What cancels it.
    @discardableResult
    public func observeChanges(_ body: @escaping (ObjectsDidChange) -> Void) -> ObserverToken {
        checkConfinement()
        return observers.changes.add(body)
    }

    /// Calls `body` at the start of each save that has something to write; it may change objects.
    ///
    /// Any number of observers are called in the order in which they were added, after ``onWillSave``.
    ///
    /// - Returns: What cancels it.
    @discardableResult
    public func observeWillSave(_ body: @escaping (ManagedObjectContext) -> Void) -> ObserverToken {
        checkConfinement()
        return observers.willSaves.add(body)
    }

    /// Calls `body` after each save that has written something, with the objects that it concerns.
    ///
    /// Any number of observers are called in the order in which they were added, after ``onDidSave``.
    ///
    /// - Returns: What cancels it.
    @discardableResult
    public func observeDidSave(_ body: @escaping (ManagedObjectContext, ObjectChanges) -> Void) -> ObserverToken {
        checkConfinement()
        return observers.didSaves.add(body)
    }

    /// Calls `body` once for each object whose row could not be read when a property was; see
    /// ``ManagedObject/faultError``.
    ///
    /// Any number of observers are called in the order in which they were added, after ``onInaccessibleFault``.
    ///
    /// - Returns: What cancels it.
    @discardableResult
    public func observeInaccessibleFaults(_ body: @escaping (ManagedObject, ContextError) -> Void) -> ObserverToken {
        checkConfinement()
        return observers.inaccessibleFaults.add(body)
    }

    /// Ends what ``observeChanges(_:)`` or another function of its kind began, and lets go of the closure.
    public func removeObserver(_ observer: ObserverToken) {
        checkConfinement()
        observer.cancel()
        observers.removeCancelled()
    }

    // MARK: Hooks

    /// Called at the start of each save that has something to write; may change objects.
    ///
    /// For more than one closure there is ``observeWillSave(_:)``.
    public var onWillSave: ((ManagedObjectContext) -> Void)? {
        get { observers.onWillSave }
        set { observers.onWillSave = newValue }
    }

    /// Called after each save that has written something, with the objects that it concerns.
    ///
    /// For more than one closure there is ``observeDidSave(_:)``.
    public var onDidSave: ((ManagedObjectContext, ObjectChanges) -> Void)? {
        get { observers.onDidSave }
        set { observers.onDidSave = newValue }
    }

    /// Called once for an object whose row could not be read when a property was; see ``ManagedObject/faultError``.
    ///
    /// For more than one closure there is ``observeInaccessibleFaults(_:)``.
    public var onInaccessibleFault: ((ManagedObject, ContextError) -> Void)? {
        get { observers.onInaccessibleFault }
        set { observers.onInaccessibleFault = newValue }
    }
}
