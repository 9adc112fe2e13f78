import Logging
import Tributary
import TributaryDaemon
package import TributaryModel
import TributaryStore
package import TributarySync

/// Imports a log folder into a store with the daemon's own service, without the daemon around it.
package struct DaemonImport: Sendable {
    package let store: String
    package let logs: String
    private let name: String
    private let model: Model

    package init(store: String, logs: String, name: String, model: Model) {
        self.store = store
        self.logs = logs
        self.name = name
        self.model = model
    }

    /// Opens the store, imports all that is in the folder and not yet in the store, closes the store.
    package func run() async throws {
        try await run { _ in }
    }

    /// Opens the store, imports like ``run()``, calls `body` with the running service, closes the store.
    package func run<T: Sendable>(then body: (SyncService) async throws -> T) async throws -> T {
        let opened = try Store.open(StoreConfiguration(path: store, name: name, model: model))
        let container = try await PersistentContainer(store: opened)
        var configuration = SyncConfiguration(logs: logs)
        configuration.exports = false
        let service = try SyncService(
            replica: container,
            configuration: configuration,
            logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() }
        )
        let result = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            await service.started()
            try await service.importAll()
            let result = try await body(service)
            service.stop()
            try await group.waitForAll()
            return result
        }
        try await container.close()
        return result
    }
}
