import Foundation
import Logging
import TestSupport
import Testing
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

@testable import TributaryDaemon

@Suite struct EngineStopTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("engine")
        try folder.write(
            "version: \"1\"\nentities:\n  Note:\n    attributes:\n      text: {type: String}\n",
            to: "model.yaml"
        )
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)
    }

    /// An open engine whose loops run, and what stops it.
    private func open() async throws -> (Engine, EngineStop) {
        let flags: [ConfigurationKey: String] = [
            .model: folder.path("model.yaml"), .store: folder.path("store.sqlite"), .logs: folder.path("logs"),
            .adminSocket: folder.path("admin.sock"),
        ]
        let configuration = try Configuration.load(
            ConfigurationSources(
                flags: flags,
                environment: ["HOME": folder.path],
                hostName: "till",
                workingDirectory: folder.path
            )
        )
        let model = try configuration.checkPlaces(inheritsSocket: false)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let engine = try await Engine.open(configuration, model: model, migration: MigrationSettings(), logger: logger)
        let loops = Task { try await engine.sync.run() }
        await engine.sync.started()
        let stop = EngineStop(
            engine: engine,
            loops: loops,
            state: DaemonState(
                configuration: configuration,
                modelFile: ModelFileWatch(path: configuration.model)
            ),
            notifier: SystemdNotifier(environment: [:]),
            logger: logger
        )
        return (engine, stop)
    }

    @Test func aStoreThatIsClosedInGoodOrderCountsAsDone() async throws {
        let (_, stop) = try await open()
        let outcome = StopOutcome()
        await stop.run(outcome: outcome)
        #expect(outcome.value == .done)
    }

    @Test func aCloseThatFailsIsNoSuccess() async throws {
        let (engine, stop) = try await open()
        // Something is to be merged, and what the last merge needs is gone.
        try await engine.container.importTransactions { transaction in
            let note = Change(
                entity: "Note",
                id: UniqueID(high: 0x0A00_0000_0000_4000, low: 1 << 63),
                operation: .insert([PropertyWrite(name: "text", value: .string("milk"))])
            )
            return ((), [try transaction.commit(LocalTransaction(author: "test", changes: [note]))])
        }
        try engine.container.store.close()
        let outcome = StopOutcome()
        await stop.run(outcome: outcome)
        #expect(outcome.value == .tryAgain)
    }

    @Test(.timeLimit(.minutes(5))) func aFolderThatHangsIsGivenUp() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let (engine, stop) = try await open()
        let hanging = try HangingFolder(folder.path("logs"))
        let sync = Task { try await engine.sync.importAll() }
        try await hanging.waitForVictim()
        let outcome = StopOutcome()
        await stop.run(outcome: outcome)
        #expect(outcome.value == .done)
        await #expect(throws: SyncError.self) { try await sync.value }
        withExtendedLifetime(hanging) {}
    }
}
