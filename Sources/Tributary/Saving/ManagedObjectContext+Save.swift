package import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    // MARK: Saving

    /// Validates, checks for conflicts, writes all changes in one transaction, and announces the transaction.
    ///
    /// It saves all changes or none. The calling thread waits for the write lock. Without changes nothing is written.
    ///
    /// - Throws: ``ValidationError`` with every failing property, also of objects that were gone and of derived
    ///   attributes when somebody set them since the last save; ``ConflictError`` under the policy `error`, or
    ///   ``ContextError``; the context keeps its changes then.
    public func save() throws {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        try SaveOperation(context: self).run()
    }

    /// Holds the write lock while `block` runs, and makes one transaction of all saves of this context in it.
    ///
    /// No other writer runs meanwhile; the context reads its own saves. There is one transaction in the store and in
    /// the history, and others are notified once, when `block` has ended. When `block` throws nothing is committed, and
    /// the changes that the context had saved in `block` are unsaved again. Edits that `block` did not save stay
    /// unsaved.
    ///
    /// ```swift
    /// try await background.perform { context in
    ///     try context.performInOneTransaction {
    ///         for part in parts {
    ///             try context.load(part)
    ///             try context.save()
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: the error that `block` throws, or ``ContextError`` when the store refuses the commit or the context is
    ///   a child.
    public func performInOneTransaction<T>(_ block: () throws -> T) throws -> T {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        guard case .store(let joined) = try source.destination() else {
            throw ContextError.store(reason: "a child's saves go to its parent: hold the turn on the parent")
        }
        guard joined.transaction == nil else { return try block() }
        return try withoutActuallyEscaping(block) { block in
            try JoinedTransaction(context: self, joined: joined).run(block)
        }
    }

    /// Applies log operations up to the first that cannot be; rules and validation run at the save, which throws
    /// ``RepeatedRequest`` when the idempotency key is known already.
    package func apply(
        _ changes: [ConditionalChange],
        idempotencyKey: String? = nil,
        restoredConflict: Int64? = nil
    ) throws(ChangeError) -> [ManagedObjectID] {
        saving.answers = []
        var terms = saving.request ?? RequestConditions()
        terms.objects = []
        terms.idempotencyKey = idempotencyKey ?? terms.idempotencyKey
        terms.restoredConflict = restoredConflict ?? terms.restoredConflict
        saving.request = terms
        var ids: [ManagedObjectID] = []
        for change in changes { ids.append(try ChangeApplication(context: self).apply(change)) }
        return ids
    }

    var label: String { isMain ? home.viewContextUse.name : "the context '\(name ?? "background")'" }

    // MARK: Refreshing

    /// Refreshes an object from the store; an object that was never saved, deleted or not, stays as it is.
    ///
    /// - Parameters:
    ///   - object: one of this context.
    ///   - mergeChanges: true keeps unsaved changes on top of the newest row; false drops them, and the object becomes
    ///     a fault.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        checkConfinement()
        RefreshOperation(context: self).refresh(object, mergeChanges: mergeChanges)
    }

    /// Refreshes every object in use from the store, and keeps unsaved changes on top.
    public func refreshAllObjects() {
        checkConfinement()
        RefreshOperation(context: self).refreshAllObjects()
    }

    /// Drops all unsaved changes: new objects are removed, changed and deleted ones have their stored values again.
    public func rollback() {
        checkConfinement()
        RefreshOperation(context: self).rollback()
    }

    /// Removes all objects and all changes.
    ///
    /// Objects that are still referenced keep their IDs and last values, and have no context any more. The view context
    /// shows the newest state afterwards.
    public func reset() {
        checkConfinement()
        RefreshOperation(context: self).reset()
    }
}
