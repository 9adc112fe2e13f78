/// A context on its own queue, accessible from anywhere.
///
/// ```swift
/// let background = container.newBackgroundContext(name: "import", author: "till")
/// let count = try await background.perform { context in
///     for name in names { try context.insert(Employee.self).name = name }
///     try context.save()
///     return try context.count(for: FetchRequest("Employee"))
/// }
/// ```
///
/// Blocks run one after another, each without interruption, in the order of their submission. Results must be
/// `Sendable`: IDs, snapshots and plain values, never objects.
public actor BackgroundContext {
    private let context: ManagedObjectContext
    /// The container that it belongs to.
    public nonisolated let container: PersistentContainer
    private nonisolated let executor: ContextExecutor

    /// The context's queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(container: PersistentContainer, name: String?, author: String?, mergePolicy: MergePolicy) {
        let executor = ContextExecutor(name: name ?? "background")
        let context = ManagedObjectContext(
            home: container.home,
            name: name,
            author: author,
            mergePolicy: mergePolicy,
            executor: executor
        )
        self.container = container
        self.executor = executor
        self.context = context
    }

    isolated deinit {
        // Objects hold their context, and the context holds its changed objects.
        context.close(withChildren: true)
    }

    /// Runs `block` with the context after all earlier blocks, and returns its result.
    ///
    /// The block is pending from its first step.
    public func perform<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        try run(block)
    }

    /// Runs `block` with the context and one value, `Sendable` or not, that is transferred to `block`.
    public func perform<Input, T: Sendable, E: Error>(
        with input: sending Input,
        _ block: @Sendable (ManagedObjectContext, sending Input) throws(E) -> T
    ) async throws(E) -> T {
        container.pipeline.pending.begin()
        return try await performCounted(with: input, block)
    }

    /// Marks the block as ended here: the caller's main actor no longer runs while the program exits.
    func performCounted<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        try runCounted(block)
    }

    func performCounted<Input, T: Sendable, E: Error>(
        with input: sending Input,
        _ block: @Sendable (ManagedObjectContext, sending Input) throws(E) -> T
    ) async throws(E) -> T {
        defer { container.pipeline.pending.end() }
        begin()
        defer { finish() }
        return try block(context, input)
    }

    /// Runs `block` with the context while the calling thread waits; not for asynchronous code.
    ///
    /// Inside a block of the same context, `block` runs at once as a part of that block, also when the block waits for
    /// another context's block in between: nothing is merged before `block`, and observers are notified of its changes
    /// at the end of the outer block.
    ///
    /// Two contexts with blocks that wait for each other on two threads would wait permanently: the program stops with
    /// a message that names both.
    @available(*, noasync, message: "use perform")
    public nonisolated func performAndWait<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) throws(E) -> T {
        let isNested = executor.isCurrent
        let result = executor.runAndWait {
            assumeIsolated { actor in
                Result { () throws(E) in try isNested ? block(actor.context) : actor.run(block) }
            }
        }
        return try result.get()
    }

    /// Queues `block` in the order of the calls.
    ///
    /// The block is pending from the call on: `container.close()` waits for it.
    ///
    /// A `Task` that calls `perform` promises no order.
    public nonisolated func enqueue(_ block: @escaping @Sendable (ManagedObjectContext) -> Void) {
        container.pipeline.pending.begin()
        executor.enqueue { self.assumeIsolated { $0.runCounted(block) } }
    }

    /// Queues `block` with one value, `Sendable` or not, that is transferred to `block`.
    public nonisolated func enqueue<Input>(
        with input: sending Input,
        _ block: @escaping @Sendable (ManagedObjectContext, sending Input) -> Void
    ) {
        enqueue(SendingBox.passing(input, to: block))
    }

    private func run<T, E: Error>(_ block: (ManagedObjectContext) throws(E) -> T) throws(E) -> T {
        container.pipeline.pending.begin()
        return try runCounted(block)
    }

    private func runCounted<T, E: Error>(_ block: (ManagedObjectContext) throws(E) -> T) throws(E) -> T {
        defer { container.pipeline.pending.end() }
        begin()
        defer { finish() }
        return try block(context)
    }

    private func finish() {
        context.processPendingChanges()
        context.endUndoGroup()
        context.reader.dropPrefetched()
    }

    private func begin() {
        if context.automaticallyMergesChangesFromParent { context.mergeNewest() }
    }
}

extension BackgroundContext {
    /// Creates a context on its own queue with this context as its parent.
    public nonisolated func newChild(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .objectTrump
    ) -> ChildContext {
        container.newChild(of: self, name: name, author: author, mergePolicy: mergePolicy)
    }
}

extension BackgroundContext: EndingContext {
    func end() {
        context.close()
    }
}
