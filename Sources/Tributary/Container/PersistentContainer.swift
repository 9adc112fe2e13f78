public import TributaryModel
package import TributaryStore

/// A store with its main context and any number of background contexts.
///
/// ```swift
/// let container = try await PersistentContainer(
///     name: "till-12",
///     path: "/var/lib/till/store.sqlite",
///     model: try Model(contentsOf: "Company.xcdatamodeld"),
///     classes: [Employee.self, Department.self]
/// )
/// ```
public final class PersistentContainer: Sendable {
    /// The model that the store was opened with.
    public let model: Model
    /// The store's configured name.
    public let name: String
    package let store: Store
    package let pipeline: MergePipeline
    let home: ContextHome
    let main: MainContext
    let contexts = ContextDirectory()

    package convenience init(
        store: Store,
        classes: [ManagedObject.Type] = [],
        transformers: TransformerRegistry = TransformerRegistry(),
        merging: MergeOptions = MergeOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        let schema = try ObjectSchema(
            model: store.model,
            store: store.configuration.name,
            classes: classes,
            transformers: transformers
        )
        try await self.init(store: store, schema: schema, merging: merging, clock: clock)
    }

    init(store: Store, schema: ObjectSchema, merging: MergeOptions, clock: any Clock<Duration> = ContinuousClock())
        async throws
    {
        let pendingNotifications = PendingNotifications(options: merging, clock: clock)
        let pipeline = try MergePipeline(store: store, pendingNotifications: pendingNotifications)
        let home = ContextHome(store: store, schema: schema, pipeline: pipeline)
        model = store.model
        name = store.configuration.name
        self.store = store
        self.pipeline = pipeline
        self.home = home
        let main = try await MainContext(home: home, generation: pipeline.generation)
        self.main = main
        home.belong(to: self)
        await pipeline.attach(main)
        pipeline.start()
    }

    /// The context of the main actor.
    ///
    /// It shows one generation of the store and moves only when a merge is due, or when it saves.
    @MainActor public var viewContext: ManagedObjectContext { main.context }

    /// The number of blocks that were accepted and have not ended.
    public var pendingSaves: Int { pipeline.pending.count }

    /// Waits for pending blocks, merges a last time, and closes the store.
    ///
    /// The store is closed also when the last merge fails.
    ///
    /// - Throws: the error of the last merge or of closing the store.
    public func close() async throws {
        do {
            try await pipeline.close()
        } catch {
            await contexts.endAll()
            throw error
        }
        await contexts.endAll()
    }

    /// Returns when no block, save or change notification is pending.
    ///
    /// It is for tests, which then need no sleep: it ends the debounce early instead of waiting for it. When it
    /// returns, observers such as fetched results controllers of the view context have handled the changes. It ignores
    /// unsaved changes of contexts.
    ///
    /// - Throws: ``ContextError`` when the main context cannot merge, such as when the store cannot be read.
    public func settled() async throws {
        repeat {
            await pipeline.pending.waitForNone()
            await store.waitForWriteLock()
            await pipeline.flush()
            if let reason = pipeline.status.failure { throw ContextError.store(reason: reason) }
            await MainActor.run { viewContext.processPendingChanges() }
        } while pipeline.pending.count > 0 || !pipeline.pendingNotifications.isEmpty
    }
}
