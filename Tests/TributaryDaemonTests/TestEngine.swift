import Foundation
import Logging
import TestSupport
import Tributary
import TributaryStore

@testable import TributaryDaemon

struct TestEngine {
    let folder: TemporaryFolder
    let configuration: Configuration
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let logs: String

    /// Creates the configuration; engines with one log folder are peers.
    init(logs: String? = nil) throws {
        folder = try TemporaryFolder("engine")
        self.logs = logs ?? folder.path("logs")
        try folder.write(EmployeeModel.text, to: "model.yaml")
        try FileManager.default.createDirectory(atPath: self.logs, withIntermediateDirectories: true)
        // Merges start only when a test requests them.
        try folder.write("merge: {debounce: 1h, ceiling: 1h}\n", to: "tributary.yaml")
        configuration = try Configuration.load(
            ConfigurationSources(
                flags: [
                    "--model": folder.path("model.yaml"), "--store": folder.path("store.sqlite"),
                    "--logs": self.logs, "--socket": folder.path("admin.sock"),
                ],
                file: folder.path("tributary.yaml"),
                environment: ["HOME": folder.path],
                hostName: "till",
                workingDirectory: folder.path
            )
        )
    }

    func open() async throws -> Engine {
        try await Engine.open(
            configuration,
            model: try configuration.checkPaths(inheritsSocket: false),
            migration: MigrationSettings(),
            logger: logger
        )
    }
}
