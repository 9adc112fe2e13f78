/// A context on a queue of its own, reached from anywhere.
public actor BackgroundContext {
    /// Runs `body` with the context, after everything enqueued before.
    public func perform<T: Sendable, E: Error>(
        _ body: @Sendable (ManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T { fatalError("stub") }

    /// Queues `body` in call order; it counts as pending from the call on.
    public nonisolated func enqueue(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) { fatalError("stub") }
}
