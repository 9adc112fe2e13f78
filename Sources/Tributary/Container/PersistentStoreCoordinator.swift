/// Gives out the turns to write: first come, first served, whichever context asks.
///
/// A save takes its turn by itself. To hold it for several saves, which are then one transaction:
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
    /// Whose store it is.
    public let container: PersistentContainer

    /// Runs `body` with the context on its queue, holding the writer's turn; its saves become one transaction.
    ///
    /// See ``ManagedObjectContext/performInOneTransaction(_:)``.
    ///
    /// - Throws: what `body` throws; nothing is committed then, and the context keeps its changes.
    public func perform<T: Sendable>(
        on context: BackgroundContext,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        try await context.perform { context in
            try context.performInOneTransaction { try body(context) }
        }
    }

    /// The same with the view context, on the main actor.
    @MainActor
    public func perform<T>(_ body: (ManagedObjectContext) throws -> T) throws -> T {
        let context = container.viewContext
        return try context.performInOneTransaction { try body(context) }
    }
}
