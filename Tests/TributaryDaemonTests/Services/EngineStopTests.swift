import Foundation
import TestSupport
import Testing
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

@testable import TributaryDaemon

@Suite struct EngineStopTests {
    private let test: TestEngine

    init() throws { test = try TestEngine() }

    /// Opens an engine, starts its loops, and returns it with its stop.
    private func open() async throws -> (Engine, EngineStop) {
        let engine = try await test.open()
        let loops = Task { try await engine.sync.run() }
        await engine.sync.started()
        let stop = EngineStop(
            engine: engine,
            loops: loops,
            state: DaemonState(
                configuration: test.configuration,
                modelFile: ModelFileWatch(path: test.configuration.model)
            ),
            notifier: SystemdNotifier(environment: [:]),
            logger: test.logger
        )
        return (engine, stop)
    }

    @Test func aStoreThatIsClosedInGoodOrderCountsAsDone() async throws {
        let (_, stop) = try await open()
        let result = StopResult()
        await stop.run(result: result)
        #expect(result.value == .done)
    }

    @Test func aCloseThatFailsIsNoSuccess() async throws {
        let (engine, stop) = try await open()
        // A merge is due, and a table that it reads is missing.
        try await engine.container.importTransactions { transaction in
            let note = Change(
                entity: "Employee",
                id: UniqueID(high: 0x0A00_0000_0000_4000, low: 1 << 63),
                operation: .insert([PropertyWrite(name: "name", value: .string("Ann"))])
            )
            return ((), [try transaction.commit(LocalTransaction(author: "test", changes: [note]))])
        }
        try engine.container.store.close()
        let result = StopResult()
        await stop.run(result: result)
        #expect(result.value == .tryAgain)
    }

    @Test(.timeLimit(.minutes(30))) func aFolderThatHangsIsGivenUp() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let (engine, stop) = try await open()
        let hanging = try HangingFolder(test.logs)
        let sync = Task { try await engine.sync.importAll() }
        try await hanging.waitForVictim()
        let result = StopResult()
        await stop.run(result: result)
        #expect(result.value == .done)
        await #expect(throws: SyncError.self) { try await sync.value }
        withExtendedLifetime(hanging) {}
    }
}
