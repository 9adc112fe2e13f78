import Foundation
import Logging
import TestSupport
import TransactionLog
import Tributary
import TributaryDaemon
import TributaryStore
import TributarySync

/// A log folder and the store that it is imported into, by the daemon's own service without the daemon around it.
struct ImportedFolder: Sendable {
    private let folder: TemporaryFolder
    let logs: String

    var store: String { folder.path("store.sqlite") }

    init() throws {
        folder = try TemporaryFolder.inMemory("growth")
        logs = folder.path("logs")
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    }

    func publish(_ text: SegmentText) throws {
        try folder.write(String(decoding: text.bytes(), as: UTF8.self), to: "logs/\(text.name.path)")
    }

    /// Opens the store, imports all that is in the folder, closes the store.
    func importAll() async throws {
        try await importAll { _ in }
    }

    /// The same; `body` has the service in between.
    func importAll<T: Sendable>(then body: (SyncService) async throws -> T) async throws -> T {
        let opened = try Store.open(
            StoreConfiguration(path: store, name: "growth", model: try Works.model())
        )
        let container = try await PersistentContainer(store: opened)
        var configuration = SyncConfiguration(logs: logs)
        configuration.exports = false
        let service = try SyncService(
            replica: container,
            configuration: configuration,
            logger: Logger(label: "growth") { _ in SwiftLogNoOpLogHandler() }
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
