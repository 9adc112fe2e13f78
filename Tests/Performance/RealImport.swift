import Logging
import TestSupport
import Tributary
import TributaryDaemon
import TributaryModel
import TributaryStore
import TributarySync

/// The daemon's own way from the log folder to the store, without the daemon around it.
struct RealImport {
    let store: String
    let logs: String
    let model: Model

    /// Opens the store, imports all that is in the folder and not yet in the store, closes the store.
    func importAll() async throws -> Effort {
        try await Effort.measure { try await run() }
    }

    private func run() async throws {
        let store = try Store.open(StoreConfiguration(path: store, name: "benchmark", model: model))
        let container = try await PersistentContainer(store: store)
        var configuration = SyncConfiguration(logs: logs)
        configuration.exports = false
        let service = try SyncService(
            replica: container,
            configuration: configuration,
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            await service.started()
            try await service.importAll()
            service.stop()
            try await group.waitForAll()
        }
        try await container.close()
    }
}
