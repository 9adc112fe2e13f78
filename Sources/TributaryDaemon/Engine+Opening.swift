import Logging
import NIOPosix
import Synchronization
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
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
        let store = try await NIOThreadPool.singleton.runIfActive {
            try StartFailure.naming(configuration.store) {
                let restoration = StoreRestoration(store: configuration.store, logger: logger)
                try restoration.complete()
                var settings = settings
                settings.formerVersions = restoration.formerVersions(except: model)
                settings.formerVersions.warn(logger)
                let store = try Store.open(settings, migrator: Migrator(migration))
                restoration.end()
                return store
            }
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

    func reconfigure(_ configuration: Configuration) {
        container.setMergeOptions(configuration.merge)
        sync.reconfigure(configuration.sync)
    }
}

extension ModelVersions {
    /// Logs a warning for each version that is needed and cannot be read.
    func warn(_ logger: Logger) {
        onFailure { reason in
            let words = "A former version of the model cannot be read; writes under names of its own may be deferred"
            logger.warning("\(words)", metadata: ["reason": "\(reason)"])
        }
    }
}

extension StartFailure {
    /// Names the store in what `block` throws when the store cannot take the model.
    static func naming<T>(_ store: String, _ block: () throws -> T) throws -> T {
        do {
            return try block()
        } catch MigrationError.interrupted(let from, let to) {
            throw MigrationInterruption(from: from, to: to)
        } catch let error as MigrationError {
            throw StartFailure("the store '\(store)' cannot take the model: \(error)", status: .badConfiguration)
        } catch let error as StoreError {
            throw StartFailure(error, store: store)
        }
    }

    init(_ error: StoreError, store: String) {
        switch error {
        case .cannotOpen(let path, let reason):
            self.init("the store '\(path)' cannot be opened: \(reason)", status: .inputOutput)
        case .otherFormat: self.init("\(error)", status: .badConfiguration)
        case .cannotMigrate(let path, let reason):
            self.init("the store '\(path)' cannot take the new model: \(reason)", status: .badConfiguration)
        case _ where error.isDamage:
            self.init(
                "the store's file is damaged (\(error)): a copy needs STORE-wal too, as the original has it; otherwise "
                    + "restore a backup, or build the store anew from the log folder: "
                    + "tributaryctl restore --from-logs --store \(store.shellWord)",
                status: .inputOutput
            )
        default:
            self.init("the store failed: \(error)", status: .inputOutput)
        }
    }
}
