import Logging
import NIOPosix
import Tributary
import TributaryAdmin
import TributaryInference
import TributaryMigration
import TributaryModel
import TributaryStore
import TributarySync

extension Engine {
    /// Opens the store, and migrates it to a newer model, without blocking a thread of Swift's pool.
    static func open(
        _ configuration: Configuration,
        model: Model,
        migration: MigrationSettings,
        logger: Logger
    ) async throws -> Engine {
        let settings = StoreConfiguration(path: configuration.store, name: configuration.name, model: model)
        let store: Store
        do {
            store = try await NIOThreadPool.singleton.runIfActive {
                let restoration = StoreRestoration(store: configuration.store, logger: logger)
                try restoration.complete()
                let store = try Store.open(settings, migrator: Migrator(migration))
                try restoration.renewWriter(of: store)
                return store
            }
        } catch MigrationError.interrupted(let from, let to) {
            throw MigrationInterruption(from: from, to: to)
        } catch let error as MigrationError {
            throw StartFailure(
                "the store '\(configuration.store)' cannot take the model: \(error)",
                status: .badConfiguration
            )
        } catch let error as StoreError {
            throw StartFailure(error)
        }
        let container: PersistentContainer
        do {
            container = try await PersistentContainer(store: store, merging: configuration.merge)
        } catch let error as ContextError {
            if case .derivations = error {
                let reason = "the model '\(configuration.model ?? "")' cannot be used: \(error)"
                throw StartFailure(reason, status: .badConfiguration)
            }
            throw error
        }
        let sync = try SyncService(
            replica: container,
            configuration: configuration.sync,
            logger: logger
        )
        return try Engine(container: container, sync: sync)
    }

    /// Applies the settings that can change without a restart.
    func reconfigure(_ configuration: Configuration) {
        container.setMergeOptions(configuration.merge)
        sync.reconfigure(configuration.sync)
    }
}

extension StartFailure {
    init(_ error: StoreError) {
        switch error {
        case .cannotOpen(let path, let reason):
            self.init("the store '\(path)' cannot be opened: \(reason)", status: .inputOutput)
        case .newerStore(let path, let version):
            self.init(
                "the store '\(path)' was written by a newer version (format \(version))",
                status: .badConfiguration
            )
        case .cannotMigrate(let path, let reason):
            self.init("the store '\(path)' cannot take the new model: \(reason)", status: .badConfiguration)
        default:
            self.init("the store failed: \(error)", status: .inputOutput)
        }
    }
}
