import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    // MARK: Saving

    /// Validates, checks for conflicts, writes all changes in one transaction, and announces the transaction.
    ///
    /// It saves all changes or none. The calling thread waits for the write lock. Without changes nothing is written.
    ///
    /// - Throws: ``ValidationError`` with every failing property, also of objects that were gone and of derived
    ///   attributes that were set since the last save; ``ConflictError`` under the policy `error`, or ``ContextError``;
    ///   then the context keeps its changes.
    public func save() throws {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        try SaveOperation(context: self).run()
    }

    /// Holds the write lock while `block` runs, and combines all saves of this context in it in one transaction.
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
    /// - Throws: the error of `block`, or ``ContextError`` when the store refuses the commit or the context is a child.
    public func performInOneTransaction<T>(_ block: () throws -> T) throws -> T {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        guard above == nil else {
            throw ContextError.store(
                reason: "a child's saves go to its parent: call performInOneTransaction on the parent"
            )
        }
        let joined = reader.saves
        guard joined.transaction == nil else { return try block() }
        return try withoutActuallyEscaping(block) { block in
            try joined.run(in: self, block)
        }
    }

    var label: String { isMain ? home.viewContextUse.name : "the context '\(name ?? "background")'" }
}

struct SaveState {
    var request: RequestConditions?
    var answers: [UniqueID] = []
    var validation: ValidationProgress?

    mutating func endRequest(_ plan: SavePlan) {
        answers += request?.answers(plan) ?? []
        request = nil
    }
}
