public import TributaryModel
import TributaryStore

extension PersistentContainer {
    /// Opens the store at `path`, and creates it when it does not exist.
    ///
    /// - Parameters:
    ///   - name: the name that peers see, which is also a part of object IDs.
    ///   - path: the SQLite file; its folder must exist.
    ///   - model: the model of the store.
    ///   - classes: the classes of entities that have their own class.
    ///   - transformers: the transformers that the model names; see ``TransformerRegistry``.
    ///   - merging: when the main context merges the saves of others.
    /// - Throws: ``ContextError`` when the store cannot be opened, a class names an entity that the model lacks, keys
    ///   of classes do not fit their entities (``ManagedObject/declaredFields``; all of them in one error), a
    ///   transformer is missing, or a derived attribute has an expression that is not understood; all this is checked
    ///   before the store is opened. `MigrationError` when the store is at another version of the model and cannot be
    ///   brought to this one.
    public convenience init(
        name: String,
        path: String,
        model: Model,
        classes: [ManagedObject.Type] = [],
        transformers: TransformerRegistry = TransformerRegistry(),
        merging: MergeOptions = MergeOptions()
    ) async throws {
        try await self.init(
            name: name,
            model: model,
            classes: classes,
            store: .file(path),
            transformers: transformers,
            merging: merging
        )
    }

    /// Opens a store in a file or in memory.
    ///
    /// ```swift
    /// let container = try await PersistentContainer(
    ///     name: "preview", model: model, classes: [Employee.self], store: .memory)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name that peers see, which is also a part of object IDs.
    ///   - model: the model of the store.
    ///   - classes: the classes of entities that have their own class.
    ///   - location: where the objects are stored.
    ///   - transformers: the transformers that the model names; see ``TransformerRegistry``.
    ///   - merging: when the main context merges the saves of others.
    ///   - sqlLog: receives the statements that are run.
    ///   - migration: how a store at another version of the model is migrated.
    /// - Throws: ``ContextError`` when the store cannot be opened, a class names an entity that the model lacks, keys
    ///   of classes do not fit their entities (``ManagedObject/declaredFields``; all of them in one error), a
    ///   transformer is missing, or a derived attribute has an expression that is not understood; all this is checked
    ///   before the store is opened. `MigrationError` when the store is at another version of the model and cannot be
    ///   brought to this one.
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
        // The schema is checked first: migrating a store to a model that cannot be used would drop values.
        let schema = try ObjectSchema(model: model, store: name, classes: classes, transformers: transformers)
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
        } catch {
            throw ContextError.mapped(error, except: MigrationError.self)
        }
        try await self.init(store: store, schema: schema, merging: merging)
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
