import TestSupport
import Tributary
import TributaryStore

extension PersistentContainer {
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
        migrator: (any StoreMigrator)? = nil,
        merging: MergeOptions = .fixture,
        clock: any Clock<Duration> = ManualClock()
    ) async throws -> PersistentContainer {
        let configuration = StoreConfiguration(path: path, name: name, model: model, environment: environment)
        return try await PersistentContainer(
            store: Store.open(configuration, migrator: migrator),
            classes: classes,
            transformers: transformers,
            merging: merging,
            clock: clock
        )
    }
}

extension ManagedObject {
    /// The text of an attribute; a hyphen where it has none.
    func text(_ key: String) throws -> String {
        if case .string(let text) = try value(forKey: key) { text } else { "-" }
    }
}
