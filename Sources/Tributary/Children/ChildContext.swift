// Contexts with another context as their parent. A child on the queue of its parent reads the parent itself. A child on
// its own queue gets the unsaved state of its parent as values, and hands its saves over as values.

import TributaryChanges
import TributaryStore

/// A context on its own queue with another context as its parent, not the store.
///
/// Each block begins with the parent's state, unsaved changes included, at the parent's generation. `save()` inside a
/// block takes effect in the child at once. The parent absorbs the saves, in order, when the block has ended, also when
/// it ends with an error; Then `perform` returns. No thread waits for the other queue.
///
/// ```swift
/// let importer = container.newChildOfViewContext(name: "import")
/// try await importer.perform { context in
///     for name in names { try context.insert(Employee.self).name = name }
///     try context.save()
/// }
/// // The view context shows the employees; the store has them after its save.
/// ```
///
/// There is no `performAndWait`: a caller on the parent's queue would wait for itself.
public actor ChildContext {
    private let context: ManagedObjectContext
    private let source: StagedSource
    private let link: any ParentLink
    /// The container that it belongs to.
    public nonisolated let container: PersistentContainer
    private nonisolated let executor: ContextExecutor
    private nonisolated let lock = FIFOLock()

    /// The context's queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        container: PersistentContainer,
        parent: any ParentLink,
        name: String?,
        author: String?,
        mergePolicy: MergePolicy
    ) {
        let executor = ContextExecutor(name: name ?? "child")
        let source = StagedSource(store: container.store)
        let context = ManagedObjectContext(
            home: container.home,
            name: name,
            author: author,
            mergePolicy: mergePolicy,
            above: source,
            executor: executor
        )
        self.container = container
        self.executor = executor
        self.source = source
        self.context = context
        link = parent
    }

    isolated deinit {
        // Objects hold their context, and the context holds its changed objects.
        context.close(withChildren: true)
    }

    /// Runs `block` with the context after all earlier blocks.
    ///
    /// It returns when the parent has absorbed the saves of `block`.
    public func perform<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        let ticket = lock.takeTicket()
        container.pipeline.pending.begin()
        defer { container.pipeline.pending.end() }
        return try await run(block, ticket).get()
    }

    /// Runs `block` with the context and one value, `Sendable` or not, that is transferred to `block`.
    public func perform<Input, T: Sendable, E: Error>(
        with input: sending Input,
        _ block: @Sendable (ManagedObjectContext, sending Input) throws(E) -> T
    ) async throws(E) -> T {
        let box = SendingBox(input)
        return try await perform { (context) throws(E) -> T in
            guard let input = box.open() else { preconditionFailure("a block runs once") }
            return try block(context, input)
        }
    }

    /// Queues `block` in the order of the calls.
    ///
    /// It is pending from the call on: `container.close()` waits until the parent has absorbed its saves.
    public nonisolated func enqueue(_ block: @escaping @Sendable (ManagedObjectContext) -> Void) {
        let pending = container.pipeline.pending
        pending.begin()
        let ticket = lock.takeTicket()
        // The block waits for the parent's queue, so it cannot be a plain block of this queue; the ticket keeps the
        // order.
        Task {
            _ = await self.run(block, ticket)
            pending.end()
        }
    }

    /// Queues `block` with one value, `Sendable` or not, that is transferred to `block`.
    public nonisolated func enqueue<Input>(
        with input: sending Input,
        _ block: @escaping @Sendable (ManagedObjectContext, sending Input) -> Void
    ) {
        enqueue(SendingBox.passing(input, to: block))
    }

    /// Creates a context on its own queue with this context as its parent.
    public nonisolated func newChild(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .objectTrump
    ) -> ChildContext {
        container.newChild(of: self, name: name, author: author, mergePolicy: mergePolicy)
    }

    private func run<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T,
        _ ticket: UInt64
    ) async -> Result<T, E> {
        await lock.wait(for: ticket)
        defer { lock.unlock() }
        source.begin(await link.unsavedState())
        let result = run(block)
        let saves = source.removeSaves()
        if !saves.isEmpty {
            let lost = await link.absorb(saves)
            context.recordChange { $0.discarded += lost }
            context.processPendingChanges()
        }
        return result
    }

    private func run<T, E: Error>(_ block: (ManagedObjectContext) throws(E) -> T) -> Result<T, E> {
        let context = context
        func result() -> Result<T, E> {
            context.processPendingChanges()
            defer {
                context.processPendingChanges()
                context.endUndoGroup()
                context.reader.dropPrefetched()
            }
            return Result { () throws(E) in try block(context) }
        }
        return source.generation?.holding(result) ?? result()
    }
}

extension ChildContext: EndingContext {
    func end() async {
        context.close()
    }
}

extension ChildContext: ParentLink {}

protocol ParentLink: Sendable {
    func perform<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T
}

extension ParentLink {
    func unsavedState() async -> UnsavedState { await perform { $0.unsavedState() } }

    func absorb(_ saves: [StagedSave]) async -> [ObjectSnapshot] {
        await perform { context in saves.flatMap { AbsorbOperation(context: context).absorb($0) } }
    }
}

extension BackgroundContext: ParentLink {}

struct ViewContextLink: ParentLink {
    let container: PersistentContainer

    @MainActor
    func perform<T: Sendable, E: Error>(
        _ block: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        try block(container.viewContext)
    }
}
