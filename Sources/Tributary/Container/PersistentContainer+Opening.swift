import TributaryInference
import TributaryMigration
public import TributaryModel
import TributaryStore

extension PersistentContainer {
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
}
