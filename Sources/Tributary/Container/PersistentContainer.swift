// The container: it opens a store, has the classes of its entities, makes contexts and publishes activities.

import TributaryMigration
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

    /// Opens the store at `path`, and creates it when it does not exist.
    ///
    /// - Parameters:
    ///   - name: the name that peers see, and the store part of object IDs.
    ///   - path: the SQLite file; its folder must exist.
    ///   - model: the model of the store.
    ///   - classes: the classes of entities that have one of their own.
    ///   - transformers: the transformers that the model names; see ``TransformerRegistry``.
    ///   - merging: when the main context merges the saves of others.
    /// - Throws: ``ContextError`` when the store cannot be opened, a class names an entity that the model lacks, keys
    ///   of classes do not fit their entities (``ManagedObject/declaredFields``; all of them in one error), a
    ///   transformer is missing, or a derived attribute has an expression that is not understood; `MigrationError` when
    ///   the store is at another version of the model and cannot be brought to this one.
    public convenience init(
        name: String,
        path: String,
        model: Model,
        classes: [ManagedObject.Type] = [],
        transformers: TransformerRegistry = TransformerRegistry(),
        merging: MergeOptions = MergeOptions()
    ) async throws {
        let store: Store
        do {
            store = try Store.open(
                StoreConfiguration(path: path, name: name, model: model),
                migrator: Migrator()
            )
        } catch let error as MigrationError {
            throw error
        } catch {
            throw ContextError(error)
        }
        try await self.init(store: store, classes: classes, transformers: transformers, merging: merging)
    }

    package init(
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

    /// Opens a store in a file or in memory.
    ///
    /// ```swift
    /// let container = try await PersistentContainer(
    ///     name: "preview", model: model, classes: [Employee.self], store: .memory)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that peers see, and the store part of object IDs.
    ///   - model: the model of the store.
    ///   - classes: the classes of entities that have one of their own.
    ///   - location: where the objects are stored.
    ///   - transformers: the transformers that the model names; see ``TransformerRegistry``.
    ///   - merging: when the main context merges the saves of others.
    ///   - sqlLog: receives the statements that are run.
    ///   - migration: how a store at another version of the model is migrated.
    /// - Throws: ``ContextError`` when the store cannot be opened, a class names an entity that the model lacks, keys
    ///   of classes do not fit their entities (``ManagedObject/declaredFields``; all of them in one error), a
    ///   transformer is missing, or a derived attribute has an expression that is not understood; `MigrationError` when
    ///   the store is at another version of the model and cannot be brought to this one.
    public convenience init(
        name: String,
        model: Model,
        classes: [ManagedObject.Type] = [],
        store location: StoreLocation,
        transformers: TransformerRegistry = TransformerRegistry(),
        merging: MergeOptions = MergeOptions(),
        sqlLog: SQLLog? = nil,
        migration: MigrationOptions = MigrationOptions()
    ) async throws {
        let store: Store
        do {
            var configuration =
                switch location {
                case .file(let path): StoreConfiguration(path: path, name: name, model: model)
                case .memory: try StoreConfiguration.memory(name: name, model: model)
                }
            configuration.trace = sqlLog.map { log in
                SQLTrace(includesValues: log.includesValues) { text, duration, rows in
                    log.handler(SQLLog.Entry(text: text, duration: duration, rows: rows))
                }
            }
            store = try Store.open(configuration, migrator: Migrator(migration.settings))
        } catch let error as MigrationError {
            throw error
        } catch {
            throw ContextError(error)
        }
        try await self.init(store: store, classes: classes, transformers: transformers, merging: merging)
    }

    /// The number of blocks that were accepted and have not ended.
    public var pendingSaves: Int { pipeline.pending.count }

    /// Waits for pending blocks, merges a last time, and closes the store.
    ///
    /// The store is closed also when the last merge fails.
    ///
    /// - Throws: the error of the last merge or of closing the store.
    public func close() async throws {
        let closed = await result { try await pipeline.close() }
        await contexts.endAll()
        try closed.get()
    }

    private func result(_ block: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await block())
        } catch {
            return .failure(error)
        }
    }

    /// Returns when no block, save or change notification is pending.
    ///
    /// It is for tests, which then need no sleep: it cuts the debounce short instead of waiting for it. The effects of
    /// the changes in observers, such as fetched results controllers of the view context, have happened when it
    /// returns. Unsaved changes of contexts do not count.
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

extension Store {
    func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.resolvingNow(configuration.environment.wallTime())
    }
}

/// The location where a container stores its objects.
public enum StoreLocation: Sendable, Hashable {
    /// An SQLite file; its folder must exist.
    case file(String)
    /// In memory, for tests and previews: everything works as with a file, except that no other process can take part.
    ///
    /// It is a real SQLite database in a private folder of `/dev/shm`, or, on a machine without `/dev/shm`, in the
    /// folder for temporary files, without waiting for the disk. The folder is removed when the container is closed or
    /// released, and when the process exits; the folder of a killed process is removed when the next such store is
    /// opened.
    case memory
}

/// A log of each SQL statement that a container has run, for example at debug level.
///
/// ```swift
/// let log = SQLLog { logger.debug("SQL", metadata: ["text": "\($0.text)", "time": "\($0.duration)"]) }
/// ```
/// The handler is called on the thread that ran the statement, while its connection is held: it must be quick, and must
/// not use the container.
public struct SQLLog: Sendable {
    /// One statement that was run.
    public struct Entry: Sendable, Hashable {
        /// The statement's text.
        public let text: String
        /// The time from the statement's first step to its end, including the work on its rows in between.
        public let duration: Duration
        /// The number of rows that it returned.
        public let rows: Int
    }

    /// Whether texts show the bound values, which may be private, instead of `?`.
    public var includesValues: Bool
    /// The closure that is called with each statement.
    public var handler: @Sendable (Entry) -> Void

    /// Creates a log that calls `handler`, by default without values.
    public init(includesValues: Bool = false, _ handler: @escaping @Sendable (Entry) -> Void) {
        self.includesValues = includesValues
        self.handler = handler
    }
}
