import TestSupport
import Tributary
import TributaryModel
import TributaryStore

extension Model {
    /// A model of these entities, as a YAML model lists them; `rest` has further keys of the model.
    init(entities: String, _ rest: String = "") throws {
        let lines = entities.split(separator: "\n").map { "  \($0)\n" }
        try self.init(yaml: "version: \"1\"\nentities:\n" + lines.joined() + rest)
    }
}

extension PersistentContainer {
    /// A container on a store of these entities, and the folder of the store, which lasts as long as the caller holds it.
    static func open(
        entities: String,
        classes: [ManagedObject.Type] = [],
        environment: StoreEnvironment = .system
    ) async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("entities")
        let model = try Model(entities: entities)
        return (folder, try await open(folder, model: model, classes: classes, environment: environment))
    }

    /// A container on the store of the name in a folder, with a clock that stands still.
    static func open(
        _ folder: TemporaryFolder,
        _ name: String = "store",
        model: Model,
        classes: [ManagedObject.Type] = [],
        environment: StoreEnvironment = .system
    ) async throws -> PersistentContainer {
        try await open(
            at: folder.path("\(name).sqlite"),
            name,
            model: model,
            classes: classes,
            environment: environment
        )
    }

    /// A container on the store at a path, with a clock that stands still unless another one is given.
    static func open(
        at path: String,
        _ name: String,
        model: Model,
        classes: [ManagedObject.Type] = [],
        transformers: TransformerRegistry = TransformerRegistry(),
        environment: StoreEnvironment = .system,
        merging: MergeOptions = .fixture,
        clock: any Clock<Duration> = ManualClock()
    ) async throws -> PersistentContainer {
        let configuration = StoreConfiguration(path: path, name: name, model: model, environment: environment)
        return try await PersistentContainer(
            store: Store.open(configuration),
            classes: classes,
            transformers: transformers,
            merging: merging,
            clock: clock
        )
    }
}

extension TemporaryFolder {
    /// A container on the store in this folder, which is migrated to a YAML model.
    func openStore(
        _ yaml: String,
        _ migration: MigrationOptions = MigrationOptions()
    ) async throws -> PersistentContainer {
        try await PersistentContainer(
            name: "test",
            model: try Model(yaml: yaml),
            store: .file(path("store.sqlite")),
            migration: migration
        )
    }
}
