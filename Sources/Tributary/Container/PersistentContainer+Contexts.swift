extension PersistentContainer {
    /// A context with a queue of its own.
    ///
    /// - Parameters:
    ///   - name: what history says of its transactions.
    ///   - author: who makes the changes.
    ///   - mergePolicy: what its saves do about objects that were changed in the store meanwhile.
    /// - Returns: An actor to be kept as long as it is needed.
    public func newBackgroundContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .error
    ) -> BackgroundContext {
        let context = BackgroundContext(
            container: self,
            home: home,
            name: name,
            author: author,
            mergePolicy: mergePolicy
        )
        contexts.add(context)
        return context
    }

    // MARK: One task, one context

    /// Runs `body` with a fresh background context and returns what it returns.
    ///
    /// It counts as pending from the call on.
    public func performBackgroundTask<T: Sendable, E: Error>(
        _ body: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        pipeline.pending.begin()
        return try await newBackgroundContext().performCounted(body)
    }

    /// Does this with one value that is handed over to the body, `Sendable` or not.
    public func performBackgroundTask<Input, T: Sendable, E: Error>(
        with input: sending Input,
        _ body: @Sendable (ManagedObjectContext, sending Input) throws(E) -> T
    ) async throws(E) -> T {
        pipeline.pending.begin()
        return try await newBackgroundContext().performCounted(with: input, body)
    }

    /// Queues `body` on a fresh background context and returns at once.
    ///
    /// It counts as pending from the call on.
    public func enqueueBackgroundTask(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        newBackgroundContext().enqueue(body)
    }

    /// Does this with one value that is handed over to the body, `Sendable` or not.
    public func enqueueBackgroundTask<Input>(
        with input: sending Input,
        _ body: @escaping @Sendable (ManagedObjectContext, sending Input) -> Void
    ) {
        newBackgroundContext().enqueue(with: input, body)
    }

    // MARK: Children

    /// A context on a queue of its own whose parent is the view context: what it saves, the view context shows, and the
    /// store has it after the view context's save.
    public func newChildOfViewContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .objectTrump
    ) -> ChildContext {
        newChild(of: ViewContextLink(container: self), name: name, author: author, mergePolicy: mergePolicy)
    }

    func newChild(of parent: any ParentLink, name: String?, author: String?, mergePolicy: MergePolicy) -> ChildContext {
        let child = ChildContext(
            container: self,
            parent: parent,
            name: name,
            author: author,
            mergePolicy: mergePolicy
        )
        contexts.add(child)
        return child
    }

    // MARK: The write lock

    /// The write lock of the store.
    public var coordinator: PersistentStoreCoordinator { PersistentStoreCoordinator(container: self) }
}
