extension PersistentContainer {
    /// Creates a context with its own queue.
    ///
    /// - Parameters:
    ///   - name: the name of the context in history.
    ///   - author: the author of the changes.
    ///   - mergePolicy: how its saves resolve conflicts with objects that were changed in the store meanwhile.
    /// - Returns: An actor that the caller keeps as long as it needs the context.
    public func newBackgroundContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .error
    ) -> BackgroundContext {
        let context = BackgroundContext(container: self, name: name, author: author, mergePolicy: mergePolicy)
        contexts.add(context)
        return context
    }

    /// Runs `block` with a new background context and returns its result.
    ///
    /// The block is pending from the call on.
    public func performBackgroundTask<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        pipeline.pending.begin()
        return try await newBackgroundContext().performCounted(block)
    }

    /// Runs `block` with a new background context and one value, `Sendable` or not, that is transferred to `block`.
    public func performBackgroundTask<Input, T: Sendable, E: Error>(
        with input: sending Input,
        _ block: @Sendable (ManagedObjectContext, sending Input) throws(E) -> T
    ) async throws(E) -> T {
        pipeline.pending.begin()
        return try await newBackgroundContext().performCounted(with: input, block)
    }

    /// Queues `block` on a new background context and returns at once.
    ///
    /// The block is pending from the call on.
    public func enqueueBackgroundTask(_ block: @escaping @Sendable (ManagedObjectContext) -> Void) {
        newBackgroundContext().enqueue(block)
    }

    /// Queues `block` on a new background context with one value, `Sendable` or not, that is transferred to `block`.
    public func enqueueBackgroundTask<Input>(
        with input: sending Input,
        _ block: @escaping @Sendable (ManagedObjectContext, sending Input) -> Void
    ) {
        newBackgroundContext().enqueue(with: input, block)
    }

    /// Creates a context on its own queue with the view context as its parent.
    ///
    /// The view context shows the changes that the child saves; the store has them after the view context's save.
    public func newChildOfViewContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .objectTrump
    ) -> ChildContext {
        newChild(of: ViewContextLink(container: self), name: name, author: author, mergePolicy: mergePolicy)
    }

    func newChild(of parent: any ParentLink, name: String?, author: String?, mergePolicy: MergePolicy) -> ChildContext {
        let child = ChildContext(container: self, parent: parent, name: name, author: author, mergePolicy: mergePolicy)
        contexts.add(child)
        return child
    }

    /// The write lock of the store.
    public var coordinator: PersistentStoreCoordinator { PersistentStoreCoordinator(container: self) }
}

/// The write lock of a store, which contexts acquire in the order of their requests.
///
/// Each save takes the lock automatically. To combine several saves in one transaction:
///
/// ```swift
/// try await container.coordinator.perform(on: background) { context in
///     try context.insert(Employee.self).name = "Ann"
///     try context.save()
///     try context.insert(Employee.self).name = "Bob"
///     try context.save()
/// }
/// ```
public struct PersistentStoreCoordinator: Sendable {
    /// The container of the store.
    public let container: PersistentContainer

    /// Runs `block` with the context on its queue, holding the write lock; its saves become one transaction.
    ///
    /// See ``ManagedObjectContext/performInOneTransaction(_:)``.
    ///
    /// - Throws: the error of `block`; then nothing is committed, and the context keeps its changes.
    public func perform<T: Sendable>(
        on context: BackgroundContext,
        _ block: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        try await context.perform { context in
            try context.performInOneTransaction { try block(context) }
        }
    }

    /// Runs `block` with the view context on the main actor, holding the write lock; its saves become one transaction.
    @MainActor
    public func perform<T>(_ block: (ManagedObjectContext) throws -> T) throws -> T {
        let context = container.viewContext
        return try context.performInOneTransaction { try block(context) }
    }
}
