/// The write lock of a store, which contexts acquire in the order of their requests.
///
/// A save takes the lock by itself. To hold it for several saves, which are then one transaction:
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
    /// - Throws: the error that `block` throws; nothing is committed then, and the context keeps its changes.
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
